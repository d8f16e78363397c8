package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.config.Listen;
import io.interlock.server.api.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a server may listen. */
class ListenPolicyTest {

    private static final Listen.Tls TLS = new Listen.Tls("cert.pem", "key.pem");

    @Test
    void onThisHostNothingIsNeeded() {
        for (String host : List.of("127.0.0.1", "localhost", "::1", "127.0.0.53")) {
            assertThatCode(() -> ListenPolicy.require(new Listen(host, 0, null, false, null), false))
                    .as(host)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void elsewhereKeysAreNeeded() {
        for (String host : List.of("0.0.0.0", "::", "10.0.0.1", "no-such-host.invalid")) {
            assertThatThrownBy(() -> ListenPolicy.require(new Listen(host, 0, null, false, TLS), false))
                    .as(host)
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("no API key")
                    .hasMessageContaining("interlock keys create");
        }
    }

    @Test
    void elsewhereTlsIsNeededUnlessAProxyEndsIt() {
        assertThatThrownBy(() -> ListenPolicy.require(new Listen("0.0.0.0", 0, null, false, null), true))
                .hasMessageContaining("unencrypted")
                .hasMessageContaining("--behind-proxy");
        assertThatCode(() -> ListenPolicy.require(new Listen("0.0.0.0", 0, null, false, TLS), true))
                .doesNotThrowAnyException();
        assertThatCode(() -> ListenPolicy.require(new Listen("0.0.0.0", 0, null, true, null), true))
                .doesNotThrowAnyException();
    }

    @Test
    void aKeyThatOthersCanReadIsRefused(@TempDir Path folder) throws IOException {
        Path key = Files.writeString(folder.resolve("tls.key"), "secret");
        Listen listen = new Listen("127.0.0.1", 0, null, false, new Listen.Tls("cert.pem", key.toString()));
        for (String mode : List.of("rw-r--r--", "rw----r--", "rw--w----", "rw-rw-rw-")) {
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> ListenPolicy.require(listen, true))
                    .as(mode)
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining(mode)
                    .hasMessageContaining("chmod 600");
        }
        for (String mode : List.of("rw-------", "r--------", "r--r-----")) {
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
            assertThatCode(() -> ListenPolicy.require(listen, true)).as(mode).doesNotThrowAnyException();
        }
    }

    @Test
    void aServerThatMayNotListenDoesNotStart() {
        assertThatThrownBy(() -> new Rig(new Listen("0.0.0.0", 0, null, true, null), Rig.LIMITS).close())
                .hasCauseInstanceOf(InvalidSettingException.class);
        assertThat(ListenPolicy.isLoopback("0.0.0.0")).isFalse();
    }
}

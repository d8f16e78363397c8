package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.interlock.time.Environment;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The address is pinned, and the certificate must still be that of the name. */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
class TlsTest {

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);

    private final PinnedHttp.Resolver loopback = host -> List.of(InetAddress.getLoopbackAddress());
    private SSLContext trusting;
    private HttpsServer server;

    TlsTest(@TempDir Path dir) throws Exception {
        KeyStore keys = keys(dir.resolve("keys.p12"));
        trusting = context(keys);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(trusting));
        server.createContext("/", exchange -> OtherSide.answer(exchange, 200, "safe"));
    }

    @BeforeAll
    void start() {
        server.start();
    }

    @AfterAll
    void stop() {
        server.stop(0);
    }

    @Test
    void aTrustedCertificateOfTheNameIsAccepted() throws Exception {
        assertThat(post("good.test", trusting).body()).isEqualTo("safe");
        assertThat(post("good.test.", trusting).body()).isEqualTo("safe");
    }

    @Test
    void aCertificateOfAnotherNameIsRefused() {
        assertThatThrownBy(() -> post("evil.test", trusting))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("evil.test");
    }

    @Test
    void aCertificateNobodyTrustsIsRefused() {
        assertThatThrownBy(() -> post("good.test", null)).isInstanceOf(SSLException.class);
    }

    @Test
    void aHandshakeThatDoesNotEndIsGivenUp() throws Exception {
        // It waits for a head that never comes, since what it gets is the beginning of a handshake.
        try (RawServer silent = RawServer.sending("");
                PinnedHttp http = http(trusting)) {
            URI url = URI.create("https://good.test:" + silent.url().getPort() + "/");
            assertThatThrownBy(() -> http.post(url, Map.of(), BODY, Duration.ofMillis(300))
                            .send())
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    private HttpAnswer post(String host, @Nullable SSLContext tls) throws Exception {
        try (PinnedHttp http = http(tls)) {
            URI url = URI.create("https://" + host + ":" + server.getAddress().getPort() + "/");
            return http.post(url, Map.of(), BODY, Duration.ofSeconds(20)).send();
        }
    }

    private PinnedHttp http(@Nullable SSLContext tls) {
        HttpRules rules = HttpRules.hosts(List.of("*.test")).networks(List.of("127.0.0.1"));
        return new PinnedHttp(rules, Environment.system(), loopback, tls == null ? null : tls.getSocketFactory());
    }

    private static KeyStore keys(Path file) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=good.test",
                        "-ext",
                        "san=dns:good.test",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        // As an authority too: a client that trusts this store trusts the certificate.
        keys.setCertificateEntry("trusted", keys.getCertificate("server"));
        return keys;
    }

    private static SSLContext context(KeyStore keys) throws Exception {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        others.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), others.getTrustManagers(), null);
        return context;
    }
}

package io.interlock.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.servers.EtcdCluster;
import io.interlock.spi.Stores;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that shows a certificate and asks for one. */
class EtcdTlsTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    Path folder;

    @Test
    void bothSidesShowCertificates() throws Exception {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        make("ca", "-ext", "bc:c");
        make("server", "-ext", "san=ip:127.0.0.1", "-signer", "ca");
        make("client", "-signer", "ca");
        make("stranger");
        try (EtcdCluster cluster =
                EtcdCluster.start(new EtcdCluster.Tls(pem("ca"), pem("server"), folder.resolve("server.key")))) {
            String url = cluster.url() + "?timeout=3s&ca=";
            try (Locks locks = Locks.open(url + pem("ca") + client("client"));
                    Lease lease = locks.tryAcquire(LockKey.of("k")).orElseThrow()) {
                assertThat(lease.isHeld()).isTrue();
            }
            assertThatThrownBy(() -> Stores.open(url + pem("stranger") + client("client")))
                    .as("a server that the client does not trust")
                    .isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> Stores.open(url + pem("ca") + client("stranger")))
                    .as("a client that the server does not trust")
                    .isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> Stores.open(url + pem("ca")))
                    .as("a client without a certificate")
                    .isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> Stores.open(url + folder.resolve("server.key")))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("check the files of ca, cert and key");
        }
    }

    private String client(String name) {
        return "&cert=" + pem(name) + "&key=" + folder.resolve(name + ".key");
    }

    private Path pem(String name) {
        return folder.resolve(name + ".pem");
    }

    private void make(String name, String... options) throws Exception {
        Path store = folder.resolve("keys.p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(options));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD.toCharArray());
        }
        write(name + ".pem", "CERTIFICATE", keys.getCertificate(name).getEncoded());
        write(
                name + ".key",
                "PRIVATE KEY",
                keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private void write(String file, String kind, byte[] content) throws Exception {
        Files.writeString(
                folder.resolve(file),
                "-----BEGIN " + kind + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind
                        + "-----\n");
    }
}

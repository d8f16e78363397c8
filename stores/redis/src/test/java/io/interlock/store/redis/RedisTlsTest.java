package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.StoreUnavailableException;
import io.interlock.time.Environment;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Redis with TLS, with a trusted or untrusted certificate. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisTlsTest {

    private static final String TRUST_STORE = "javax.net.ssl.trustStore";
    private static final String PASSWORD = "changeit";

    @TempDir
    Path dir;

    @Test
    void aTrustedCertificateIsNeededAndEnough() throws Exception {
        Path keys = makeKeys();
        int tlsPort = RedisProcess.freePort();
        String url = "rediss://127.0.0.1:" + tlsPort + "/0?firstUse=true&timeout=20s";
        try (RedisProcess redis = RedisProcess.start(tls(tlsPort))) {
            assertThat(redis.port()).isNotEqualTo(tlsPort);
            assertThatThrownBy(() -> RedisStore.open(url, Environment.system()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("certification path");
            System.setProperty(TRUST_STORE, keys.toString());
            System.setProperty(TRUST_STORE + "Password", PASSWORD);
            try (RedisStore store = RedisStore.open(url, Environment.system())) {
                assertThat(take(store, "ledger").token().value()).isPositive();
            } finally {
                System.clearProperty(TRUST_STORE);
                System.clearProperty(TRUST_STORE + "Password");
            }
        }
    }

    private List<String> tls(int port) {
        return List.of(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                dir.resolve("cert.pem").toString(),
                "--tls-key-file",
                dir.resolve("key.pem").toString(),
                "--tls-ca-cert-file",
                dir.resolve("cert.pem").toString(),
                "--tls-auth-clients",
                "no");
    }

    private Path makeKeys() throws Exception {
        Path store = dir.resolve("keys.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        int code = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "redis",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=redis",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("keytool.log").toFile())
                .start()
                .waitFor();
        assertThat(code).as("keytool").isZero();
        KeyStore loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, PASSWORD.toCharArray());
        }
        pem(
                "key.pem",
                "PRIVATE KEY",
                loaded.getKey("redis", PASSWORD.toCharArray()).getEncoded());
        pem("cert.pem", "CERTIFICATE", loaded.getCertificate("redis").getEncoded());
        return trusting(loaded);
    }

    private Path trusting(KeyStore keys) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("redis", keys.getCertificate("redis"));
        Path file = dir.resolve("trusted.p12");
        try (var out = Files.newOutputStream(file)) {
            trusted.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    private void pem(String file, String kind, byte[] content) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                dir.resolve(file), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}

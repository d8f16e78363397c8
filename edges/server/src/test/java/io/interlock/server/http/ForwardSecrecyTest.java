package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.config.Listen;
import io.interlock.server.api.Rig;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which ciphers a server with TLS agrees to. */
class ForwardSecrecyTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path folder;

    @Test
    void onlyCiphersWithForwardSecrecyAreSpoken() throws Exception {
        KeyStore keys = keys();
        Path certificate = pem("CERTIFICATE", keys.getCertificate("server").getEncoded());
        Path key = pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Listen listen = new Listen("127.0.0.1", 0, null, false, new Listen.Tls(certificate.toString(), key.toString()));
        SSLContext client = trusting(keys);
        try (Rig rig = new Rig(listen, Rig.LIMITS)) {
            int port = rig.server.port();
            assertThat(spoken(client, port, "TLSv1.3", "TLS_AES_128_GCM_SHA256"))
                    .isEqualTo("TLS_AES_128_GCM_SHA256");
            assertThat(spoken(client, port, "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
                    .isEqualTo("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
            for (String weak : List.of(
                    "TLS_RSA_WITH_AES_128_CBC_SHA",
                    "TLS_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384")) {
                assertThatThrownBy(() -> spoken(client, port, "TLSv1.2", weak))
                        .as(weak)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    private static String spoken(SSLContext client, int port, String version, String cipher) throws IOException {
        try (SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setEnabledProtocols(new String[] {version});
            socket.setEnabledCipherSuites(new String[] {cipher});
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        }
    }

    private Path pem(String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                folder.resolve(kind.replace(' ', '-') + ".pem"),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private KeyStore keys() throws Exception {
        Path file = folder.resolve("server.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process made = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
        assertThat(made.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private static SSLContext trusting(KeyStore keys) throws Exception {
        keys.setCertificateEntry("trusted", keys.getCertificate("server"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}

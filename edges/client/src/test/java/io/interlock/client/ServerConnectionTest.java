package io.interlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.interlock.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where an API key goes, and which servers are believed. */
class ServerConnectionTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    Path folder;

    @Test
    void anApiKeyIsNotCarriedToWhereARedirectLeads() throws IOException {
        AtomicReference<String> seen = new AtomicReference<>("nothing");
        HttpServer other = server(HttpServer.create(loopback(), 0), 200, "");
        other.createContext(
                "/seen", exchange -> seen.set(exchange.getRequestHeaders().getFirst("x-api-key")));
        for (int status : List.of(301, 302, 303, 307, 308)) {
            HttpServer redirecting = server(
                    HttpServer.create(loopback(), 0),
                    status,
                    "http://127.0.0.1:" + other.getAddress().getPort() + "/seen");
            try {
                ServerConnection client =
                        new ServerConnection(url("http", redirecting), Map.of("x-api-key", "ilk_canary"));
                assertThatThrownBy(() -> client.get("/jobs"))
                        .isInstanceOf(UnreachableException.class)
                        .hasMessageContaining("redirects to http://127.0.0.1")
                        .hasMessageNotContaining("canary");
            } finally {
                redirecting.stop(0);
            }
        }
        other.stop(0);
        assertThat(seen).hasValue("nothing");
    }

    /** A file with a key ends in a line break. */
    @Test
    void blanksAroundAnApiKeyAreLeftOutAndOthersRefusedWithoutShowingIt() throws IOException {
        AtomicReference<String> seen = new AtomicReference<>("nothing");
        HttpServer server = HttpServer.create(loopback(), 0);
        server.createContext("/", exchange -> {
            seen.set(exchange.getRequestHeaders().getFirst("x-api-key"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        try (InterlockClient client = InterlockClient.connect(url("http", server), "ilk_canary\n")) {
            client.connection().get("/jobs");
            assertThat(seen).hasValue("ilk_canary");
        } finally {
            server.stop(0);
        }
        assertThatThrownBy(() -> InterlockClient.connect("http://localhost:1", "ilk_can\nary"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("apiKey")
                .hasMessageNotContaining("ary");
    }

    @Test
    void aServerOfAnAuthorityOfOnesOwnIsBelievedIfThatIsNamed() throws Exception {
        Path keys = folder.resolve("server.p12");
        Path certificate = folder.resolve("ca.pem");
        keytool(
                "-genkeypair",
                "-alias",
                "s",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-keystore",
                keys.toString(),
                "-storepass",
                PASSWORD,
                "-storetype",
                "PKCS12");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "s",
                "-keystore",
                keys.toString(),
                "-storepass",
                PASSWORD,
                "-file",
                certificate.toString());
        HttpsServer https = HttpsServer.create(loopback(), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(context(keys)));
        server(https, 200, "");
        try {
            ServerConnection client = new ServerConnection(url("https", https), Map.of());
            assertThatThrownBy(() -> client.get("/jobs"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("no trusted connection");
            assertThat(client.trusting(certificate).get("/jobs").shown("answer"))
                    .isEqualTo("here");
        } finally {
            https.stop(0);
        }
    }

    @Test
    void aFileWithoutCertificatesIsRefusedByName() throws IOException {
        ServerConnection client = new ServerConnection("https://localhost", Map.of());
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        assertThatThrownBy(() -> client.trusting(empty)).hasMessageContaining(empty.toString());
        assertThatThrownBy(() -> client.trusting(folder.resolve("none"))).hasMessageContaining("--cacert");
    }

    private static HttpServer server(HttpServer server, int status, String location) {
        server.createContext("/api/v1/", exchange -> {
            try (exchange) {
                byte[] body = "{\"answer\": \"here\"}".getBytes(StandardCharsets.UTF_8);
                if (!location.isEmpty()) {
                    exchange.getResponseHeaders().set("Location", location);
                }
                exchange.sendResponseHeaders(status, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return server;
    }

    private static SSLContext context(Path keys) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), null, null);
        return context;
    }

    private static void keytool(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static String url(String scheme, HttpServer server) {
        return scheme + "://localhost:" + server.getAddress().getPort();
    }
}

package io.interlock.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.launch.RealServer;
import io.interlock.server.session.Sessions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sign-ins over a restart of the server, which is a process of its own. */
class RestartTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    @Test
    void aRestartSignsOutNoUserAndNoSecretIsInTheFiles() throws Exception {
        Path data = Files.createDirectory(folder.resolve("store"));
        String[] serving = {"server", "--store", "sqlite:" + data.resolve("il.db")};
        String cookie;
        String csrf;
        String key;
        try (RealServer before = RealServer.start(folder, Map.of(), serving)) {
            key = before.key().orElseThrow();
            HttpResponse<String> signedIn = send(
                    before,
                    "POST",
                    "/api/v1/session",
                    new JsonObject().put("apiKey", key).encode());
            assertThat(signedIn.statusCode()).isEqualTo(200);
            cookie = signedIn.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
            csrf = new JsonObject(signedIn.body()).getString("csrfToken");
            before.signal("TERM");
            assertThat(before.exitCode()).isZero();
        }
        String secret = cookie.substring(cookie.indexOf('=') + 1);
        assertThat(contents(data)).doesNotContain(secret).doesNotContain(csrf);
        try (RealServer after = RealServer.start(folder, Map.of(), serving)) {
            HttpResponse<String> who = send(after, "GET", "/api/v1/session", "", "Cookie", cookie);
            assertThat(who.statusCode()).as(who.body()).isEqualTo(200);
            assertThat(new JsonObject(who.body()).getString("csrfToken")).isEqualTo(csrf);
            String run = "{\"key\": \"restart/1\", \"job\": \"any\"}";
            HttpResponse<String> started =
                    send(after, "POST", "/api/v1/runs", run, "Cookie", cookie, Sessions.CSRF_HEADER, csrf);
            assertThat(started.statusCode())
                    .as("known, and the page's token counts: %s", started.body())
                    .isNotIn(401, 403);
            assertThat(send(after, "DELETE", "/api/v1/session", "", "Cookie", cookie)
                            .statusCode())
                    .isEqualTo(204);
            assertThat(send(after, "GET", "/api/v1/session", "", "Cookie", cookie)
                            .statusCode())
                    .isEqualTo(401);
        }
    }

    private static HttpResponse<String> send(
            RealServer server, String method, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return HTTP.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    private static String contents(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            assertThat(all).isNotEmpty();
            StringBuilder text = new StringBuilder();
            for (Path file : all) {
                text.append(new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1));
            }
            return text.toString();
        }
    }
}

package io.interlock.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ui.UiFiles;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the pages are served; what they show is tested in a browser. */
class UiRoutesTest {

    private static final EngineRig rig = EngineRig.on("memory:");
    private static final UiFiles files = UiFiles.read();

    @AfterAll
    static void close() {
        rig.closeAll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/ui"})
    void theRootLeadsToThePages(String path) {
        HttpResponse<byte[]> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(302);
        // Relative, so that it stays behind the prefix of a proxy.
        assertThat(header(answer, "Location")).isEqualTo("ui/");
    }

    @ParameterizedTest
    @CsvSource({
        "/ui/, 200, ''",
        "/ui/locks, 200, ''",
        "/ui/runs/4711, 200, ../",
        "/ui/docs/concepts, 200, ../",
        "/ui/nonsense, 404, ''"
    })
    void everyPageIsTheSameFileAndFindsItsFilesRelatively(String path, int status, String up) {
        HttpResponse<byte[]> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(header(answer, "Content-Type")).startsWith("text/html");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
        assertThat(new String(answer.body(), UTF_8)).contains("\"" + up + "assets/" + files.version() + "/app.js\"");
    }

    @Test
    void nothingButItsOwnFilesMayRunInAPage() {
        String policy = header(get("/ui/"), "Content-Security-Policy");
        assertThat(policy)
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                .contains("base-uri 'none'", "form-action 'self'")
                .doesNotContain("unsafe");
        assertThat(header(get("/ui/"), "X-Frame-Options")).isEqualTo("DENY");
    }

    @Test
    void filesAreKeptForEverUnderTheirVersionAndThereAreNoOthers() {
        for (String name : files.names()) {
            HttpResponse<byte[]> answer = get("/ui/assets/" + files.version() + "/" + name);
            assertThat(answer.statusCode()).as(name).isEqualTo(200);
            assertThat(header(answer, "Cache-Control")).contains("immutable");
            assertThat(answer.body()).isEqualTo(files.file(name).orElseThrow());
        }
        assertThat(get("/ui/assets/000000000000/app.js").statusCode()).isEqualTo(404);
        assertThat(get("/ui/assets/" + files.version() + "/nothing.js").statusCode())
                .isEqualTo(404);
        assertThat(get("/ui/assets/" + files.version() + "/..%2f..%2fUiFiles.class")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void whoUnderstandsItGetsFilesPacked() throws IOException {
        HttpResponse<byte[]> answer = get("/ui/assets/" + files.version() + "/app.js", "Accept-Encoding", "gzip");
        assertThat(header(answer, "Content-Encoding")).isEqualTo("gzip");
        byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes();
        assertThat(unpacked).isEqualTo(files.file("app.js").orElseThrow());
    }

    @Test
    void aMapToWhatPeopleWroteIsServedBesideAFile() {
        HttpResponse<byte[]> answer = get("/ui/assets/" + files.version() + "/now.js.map");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
        assertThat(new JsonObject(Buffer.buffer(answer.body())).getJsonArray("sources"))
                .contains("pages/now.js");
    }

    @Test
    void theDocumentationIsServedAsText() {
        HttpResponse<byte[]> answer = get("/ui/assets/" + files.version() + "/docs/runbooks.md");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Content-Type")).isEqualTo("text/markdown; charset=utf-8");
        assertThat(new String(answer.body(), UTF_8)).startsWith("# Runbooks");
    }

    @Test
    void noPageHasScriptsOrStylesInIt() {
        List<String> own = files.names().stream().filter(UiRoutesTest::isOurs).toList();
        assertThat(own).hasSizeGreaterThan(14);
        for (String name : own) {
            assertThat(new String(files.file(name).orElseThrow(), UTF_8))
                    .as(name)
                    .doesNotContain("style=\"", "innerHTML", "unsafeHTML", "eval(", "onclick=\"");
        }
    }

    private static boolean isOurs(String name) {
        return !name.startsWith("lit.") && !name.endsWith(".map");
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private static HttpResponse<byte[]> get(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.server.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return rig.http().sendAsync(request.build(), BodyHandlers.ofByteArray()).join();
    }
}

package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table of what a hostile client sends, each row to a server that runs as a process of its own. Each is answered once, as the row says, or
 * cut off; none is answered with a fault, with HTML or with a stack trace, starts anything, or writes more than one line of the log.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileTableTest {

    private static final int FEWEST = 200;
    private static final int PATIENCE_MILLIS = 8_000;
    private static final String NEXT = "GET /api/v1/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    private static final Pattern REPEATED = Pattern.compile("<<(.+?)\\*(\\d+)>>");
    private static final Pattern BYTE = Pattern.compile("\\\\(r|n|t|\\\\|x[0-9a-f]{2})");
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");
    private static final Pattern LOG_LINE = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z (INFO |WARN |ERROR) \\[[^\\]]+] \\S+ .*");

    @TempDir
    static Path folder;

    private RealServer server;
    private String key = "";
    private int port;

    @BeforeAll
    void start() {
        server = RealServer.configured(folder, """
                jobs:
                  CREATE: { api: clusters, run: { worker: remote } }
                  remote: { run: { worker: remote } }
                """);
        key = server.key().orElseThrow();
        port = URI.create(server.url()).getPort();
    }

    @AfterAll
    void othersAreServedAndTheLogIsClean() {
        try {
            JsonObject runs = RealServer.json(server.get("/api/v1/runs", key));
            assertThat(runs.getJsonArray("items")).as("runs that were started").isEmpty();
            assertThat(server.err().lines())
                    .isNotEmpty()
                    .allMatch(line -> LOG_LINE.matcher(line).matches());
        } finally {
            server.close();
        }
    }

    /**
     * A row of the table.
     *
     * @param expected the status, {@code closed} for a connection that ends without an answer
     * @param place where the text stands in a request that is proper otherwise
     * @param text what is sent there
     */
    record Row(String expected, String place, String text) {

        static Row parse(String line) {
            String[] parts = line.split(" \\| ?", 3);
            return new Row(parts[0], parts[1], parts[2]);
        }

        @Override
        public String toString() {
            return place + ": " + (text.length() > 80 ? text.substring(0, 80) + "…" : text);
        }
    }

    static Stream<Row> rows() {
        try (InputStream in =
                Objects.requireNonNull(HostileTableTest.class.getResourceAsStream("hostile-inputs.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Row::parse);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void theTableIsLong() {
        assertThat(rows()).hasSizeGreaterThanOrEqualTo(FEWEST).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void isAnsweredOnceAndHarmsNothing(Row row) {
        String answer = exchange(request(row));
        List<String> statuses = STATUS.matcher(answer)
                .results()
                .map(found -> found.group(1))
                .filter(status -> !status.equals("100"))
                .toList();
        assertThat(statuses).as(answer).hasSizeLessThanOrEqualTo(1);
        assertThat(statuses.isEmpty() ? "closed" : statuses.get(0))
                .as("%s: %s", row.text(), answer)
                .isEqualTo(row.expected());
        assertThat(answer).doesNotContain("Exception", "\tat ", "java.", "\nX-Evil", "\nx-evil", "root:x:0");
        assertThat(server.status("/health/live")).isEqualTo(200);
    }

    private String request(Row row) {
        String text = bytes(row.text());
        String credentials = "Host: x\r\nx-api-key: " + key + "\r\n";
        String close = "Connection: close\r\n";
        String json = "Content-Type: application/json\r\n";
        return switch (row.place()) {
            case "frame" -> "POST /api/v1/runs HTTP/1.1\r\n" + credentials + json + text + "\r\n\r\n0\r\n\r\n" + NEXT;
            case "chunk" ->
                "POST /api/v1/runs HTTP/1.1\r\n" + credentials + json + "Transfer-Encoding: chunked\r\n\r\n" + text
                        + "\r\n0\r\n\r\n" + NEXT;
            case "line" -> text + "\r\n" + credentials + close + "\r\n";
            case "host" ->
                "GET /api/v1/runs HTTP/1.1\r\n" + (text.isEmpty() ? "" : text + "\r\n") + "x-api-key: " + key + "\r\n"
                        + close + "\r\n";
            case "header" -> "GET /api/v1/runs HTTP/1.1\r\n" + credentials + close + text + "\r\n\r\n";
            case "apikey" -> "GET /api/v1/runs HTTP/1.1\r\nHost: x\r\n" + close + "x-api-key: " + text + "\r\n\r\n";
            case "auth" -> "GET /api/v1/runs HTTP/1.1\r\nHost: x\r\n" + close + "Authorization: " + text + "\r\n\r\n";
            case "path" -> "GET " + text + " HTTP/1.1\r\n" + credentials + close + "\r\n";
            case "query" -> "GET /api/v1/runs?" + text + " HTTP/1.1\r\n" + credentials + close + "\r\n";
            case "body" -> post("/api/v1/runs", credentials + close + json, text);
            case "claim" -> post("/api/v1/claims", credentials + close + json, text);
            case "cluster" -> post("/clusters", credentials + close + json, text);
            default -> throw new IllegalArgumentException(row.place());
        };
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\n" + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** The bytes that a text of the table stands for, one to a character. */
    private static String bytes(String text) {
        String plain = BYTE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        switch (found.group(1)) {
                            case "r" -> "\r";
                            case "n" -> "\n";
                            case "t" -> "\t";
                            case "\\" -> "\\";
                            default ->
                                Character.toString(
                                        Integer.parseInt(found.group(1).substring(1), 16));
                        }));
        return REPEATED.matcher(plain)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(1).repeat(Integer.parseInt(found.group(2)))));
    }

    private String exchange(String request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                socket.getInputStream().transferTo(answer);
            } catch (IOException silentOrGone) {
                // What came before is the answer.
                return answer.toString(StandardCharsets.ISO_8859_1);
            }
            return answer.toString(StandardCharsets.ISO_8859_1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}

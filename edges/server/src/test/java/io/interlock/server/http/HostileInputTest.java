package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.server.api.Rig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a malicious client sends. The server refuses it, with bounded memory, and answers other clients as before. */
class HostileInputTest {

    private static final Rig rig = new Rig();

    @AfterAll
    static void othersAreStillServed() {
        assertThat(rig.get("/api/v1/runs", rig.key("acme", Role.READ)).statusCode())
                .isEqualTo(200);
        rig.close();
    }

    @Test
    void aBodyThatSaysItIsAGigabyteIsRefusedBeforeItIsRead() {
        String answer = RawClient.exchange(
                rig.server.port(),
                head("POST /api/v1/runs", "Content-Type: application/json", "Content-Length: 1073741824"),
                5_000);
        assertThat(answer)
                .startsWith("HTTP/1.1 413")
                .contains("body-too-large")
                .containsIgnoringCase("connection: close");
    }

    @Test
    void aGigabyteInChunksIsCutOffAtTheLimit() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.server.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(head("POST /api/v1/runs", "Content-Type: application/json", "Transfer-Encoding: chunked")
                    .getBytes(StandardCharsets.ISO_8859_1));
            byte[] chunk = ("10000\r\n" + " ".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
            long sent = 0;
            boolean cutOff = false;
            while (sent < 1L << 30 && !cutOff) {
                try {
                    out.write(chunk);
                    sent += chunk.length;
                    cutOff = answered(socket.getInputStream());
                } catch (IOException gone) {
                    cutOff = true;
                }
            }
            assertThat(cutOff).isTrue();
            assertThat(sent).as("bytes sent before the refusal").isLessThan(64L << 20);
        }
    }

    @Test
    void aBodyJustOverTheLimitGetsItsProblem() {
        String key = rig.key("acme", Role.ADMIN);
        String fits = "{\"key\": \"a\"" + " ".repeat(Limits.DEFAULT.body() - 13) + "}";
        assertThat(rig.post("/api/v1/runs", key, fits).statusCode()).isEqualTo(200);
        HttpResponse<String> answer = rig.post("/api/v1/runs", key, fits + "   ");
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(Rig.json(answer).getInteger("limit")).isEqualTo(262_144);
    }

    @Test
    void aHundredThousandNestedArraysAreABadRequest() {
        String key = rig.key("acme", Role.ADMIN);
        for (String body : List.of("[".repeat(100_000), "{\"a\":".repeat(40_000), "[".repeat(21) + "]".repeat(21))) {
            HttpResponse<String> answer = rig.post("/api/v1/runs", key, body);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("nests more than 20 levels");
        }
        String text = "{\"key\": \"" + "[".repeat(400) + "\\\"{{{\"}";
        assertThat(rig.post("/api/v1/runs", key, text).statusCode())
                .as("brackets in texts do not nest")
                .isEqualTo(200);
    }

    @Test
    void whatIsWrongWithABodyIsSaidAsItIs() {
        String key = rig.key("acme", Role.ADMIN);
        for (String comment : List.of("{\"key\":\"a\" /*x*/}", "{\"key\":\"a\"} // x")) {
            assertThat(mistake(rig.post("/api/v1/runs", key, comment)))
                    .as(comment)
                    .startsWith("The body is not JSON: line 1, column ");
        }
        assertThat(mistake(rig.post("/api/v1/runs", key, "{\"key\":\"a\",\"key\":\"b\"}")))
                .startsWith("The body is not JSON that can be read in one way only: line 1, column ")
                .endsWith(" names a field for the second time.");
    }

    private static String mistake(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        return Rig.json(answer).getJsonArray("errors").getJsonObject(0).getString("detail");
    }

    @Test
    void nobodyReadsTheBodyOfAStranger() {
        String answer = RawClient.exchange(
                rig.server.port(),
                String.join(
                        "\r\n",
                        "POST /api/v1/runs HTTP/1.1",
                        "Host: x",
                        "Content-Type: application/json",
                        "Transfer-Encoding: chunked",
                        "",
                        ""),
                5_000);
        assertThat(answer).startsWith("HTTP/1.1 401").containsIgnoringCase("connection: close");
    }

    @Test
    void twoLengthsDoNotSmuggleASecondRequest() {
        String smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
        for (String[] lengths : List.of(
                new String[] {"Content-Length: 4", "Transfer-Encoding: chunked"},
                new String[] {"Transfer-Encoding: chunked", "Content-Length: 4"},
                new String[] {"Transfer-Encoding: xchunked", "Content-Length: 4"},
                new String[] {"Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Content-Length: 4"},
                new String[] {"Content-Length: 4", "Content-Length: 5"},
                new String[] {"Content-Length: +4"},
                new String[] {"Content-Length: -4"},
                new String[] {"Transfer-Encoding : chunked", "Content-Length: 4"})) {
            String answer = RawClient.exchange(
                    rig.server.port(),
                    "POST /api/v1/runs HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", lengths) + "\r\n\r\n0\r\n\r\n"
                            + smuggled,
                    1_000);
            assertThat(answer).as(String.join(", ", lengths)).matches("(?s)HTTP/1\\.[01] 400.*");
            assertThat(answer.split("HTTP/1\\.[01] ", -1))
                    .as(String.join(", ", lengths))
                    .hasSize(2);
        }
    }

    @Test
    void aChunkSizeThatDoesNotFitIsNotTakenForASmallOne() {
        String body = "{\"key\": \"smuggled\", \"execution\": \"caller\"}";
        String size = Integer.toHexString(body.length());
        for (String chunk : List.of(
                "1" + "0".repeat(8 - size.length()) + size,
                "1" + "0".repeat(16 - size.length()) + size,
                "ffffffff" + size,
                "80000000" + size,
                "-" + size,
                "+" + size,
                "0x" + size,
                " " + size,
                size + " ",
                size + "g")) {
            String answer = RawClient.exchange(
                    rig.server.port(),
                    head("POST /api/v1/runs", "Content-Type: application/json", "Transfer-Encoding: chunked") + chunk
                            + "\r\n" + body + "\r\n0\r\n\r\n"
                            + head("GET /api/v1/session", "Connection: close"),
                    2_000);
            assertThat(answer).as("chunk size '%s'", chunk).doesNotContain("HTTP/1.1 2", "signIn", "getSession");
        }
    }

    @Test
    void aRequestIsForOneHost() {
        for (String hosts :
                List.of("", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n", "Host: a b\r\n", "Host: a/b\r\n")) {
            String answer = RawClient.exchange(
                    rig.server.port(),
                    "GET /api/v1/openapi.json HTTP/1.1\r\n" + hosts + "Connection: close\r\n\r\n",
                    5_000);
            assertThat(answer)
                    .as("hosts '%s'", hosts)
                    .startsWith("HTTP/1.1 400")
                    .contains("header/Host");
        }
    }

    @Test
    void aLoadBalancerMayAskInHttp10WithoutAHost() {
        assertThat(RawClient.exchange(rig.server.port(), "GET /health/live HTTP/1.0\r\n\r\n", 5_000))
                .matches("(?s)HTTP/1\\.[01] 200.*");
    }

    @Test
    void aQueryThatCannotBeReadIsABadRequestAndNotInTheLog() {
        Logger root = (Logger) LoggerFactory.getLogger("io.interlock");
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        root.addAppender(seen);
        try {
            for (String query : List.of("x=%zz", "x=%", "x=%a", "%zz=1")) {
                String answer = RawClient.exchange(
                        rig.server.port(),
                        "GET /api/v1/openapi.json?" + query
                                + "&secret=canary HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                        5_000);
                assertThat(answer).as(query).startsWith("HTTP/1.1 400").contains("\"pointer\":\"query\"");
            }
        } finally {
            root.detachAppender(seen);
        }
        assertThat(seen.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
        assertThat(seen.list.toString()).doesNotContain("canary");
    }

    @Test
    void aHeaderCannotBeInjected() {
        String answer = RawClient.exchange(
                rig.server.port(),
                String.join(
                        "\r\n",
                        "GET /api/v1/nowhere%0d%0aX-Evil:%20yes HTTP/1.1",
                        "Host: x",
                        "X-Request-Id: a%0d%0aX-Evil: yes",
                        "Connection: close",
                        "",
                        ""),
                5_000);
        assertThat(answer).startsWith("HTTP/1.1 404").doesNotContain("\nX-Evil", "\nx-evil");
        String bare = RawClient.exchange(
                rig.server.port(), "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\rX-Evil: b\r\n\r\n", 1_000);
        assertThat(bare).doesNotContain("X-Evil: b");
    }

    @Test
    void aRequestIdIsKeptOnlyIfItIsAPlainWord() {
        HttpResponse<String> plain = rig.get("/health/live", null, "X-Request-Id", "build-42.a:b");
        assertThat(plain.headers().firstValue("X-Request-Id")).contains("build-42.a:b");
        HttpResponse<String> odd = rig.get("/health/live", null, "X-Request-Id", "<script>");
        assertThat(odd.headers().firstValue("X-Request-Id").orElseThrow()).matches("[0-9a-f-]{36}");
    }

    @Test
    void headersAndLinesHaveLimits() {
        String large = RawClient.exchange(
                rig.server.port(), "GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + "a".repeat(20_000) + "\r\n\r\n", 5_000);
        assertThat(large).matches("(?s)HTTP/1\\.[01] 431.*").contains("headers-too-large");
        String far = RawClient.exchange(
                rig.server.port(), "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 5_000);
        assertThat(far).matches("(?s)HTTP/1\\.[01] 414.*").contains("uri-too-long");
        assertThat(RawClient.exchange(rig.server.port(), "\u0016\u0003\u0001 hello\r\n\r\n", 1_000))
                .doesNotStartWith("HTTP/1.1 2");
    }

    @Test
    void aBodyThatComesTooSlowlyIsCutOff() {
        Limits quick = new Limits(1_000, 20, 100, Duration.ofMillis(300), Duration.ofSeconds(60), 5);
        try (Rig impatient = new Rig(new Listen("127.0.0.1", 0, null, false, null), quick)) {
            String answer = RawClient.exchange(
                    impatient.server.port(),
                    "POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: "
                            + impatient.key("acme", Role.ADMIN) + "\r\nContent-Length: 100\r\n\r\n{",
                    10_000);
            assertThat(answer).startsWith("HTTP/1.1 408").contains("request-timeout");
        }
    }

    @Test
    void onlyPlainJsonIsRead() {
        for (String type : List.of("text/plain", "application/xml", "application/json; charset=utf-16")) {
            HttpRequest request = rig.request("/api/v1/runs", rig.key("acme", Role.ADMIN))
                    .header("Content-Type", type)
                    .POST(BodyPublishers.ofString("{\"key\": \"a\"}"))
                    .build();
            assertThat(rig.send(request).statusCode()).as(type).isEqualTo(415);
        }
        HttpRequest latin = rig.request("/api/v1/runs", rig.key("acme", Role.ADMIN))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"key\": \"\u00e4\"}", StandardCharsets.ISO_8859_1))
                .build();
        assertThat(rig.send(latin).body()).contains("not UTF-8");
        HttpRequest wide = rig.request("/api/v1/runs", rig.key("acme", Role.ADMIN))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"key\": \"a\"}", StandardCharsets.UTF_16LE))
                .build();
        assertThat(rig.send(wide).statusCode()).isEqualTo(400);
    }

    @Test
    void answersTellBrowsersToDoNothing() {
        HttpResponse<String> answer = rig.get("/api/v1/runs", rig.key("acme", Role.READ));
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(answer.headers().firstValue("X-Frame-Options")).contains("DENY");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'");
        assertThat(answer.headers().firstValue("Server")).isEmpty();
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    private static boolean answered(InputStream in) throws IOException {
        return in.available() > 0;
    }

    private static String head(String line, String... headers) {
        return line + " HTTP/1.1\r\nHost: x\r\nx-api-key: " + rig.key("acme", Role.ADMIN) + "\r\n"
                + String.join("\r\n", headers) + "\r\n\r\n";
    }
}

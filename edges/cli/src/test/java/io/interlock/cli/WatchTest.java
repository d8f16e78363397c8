package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.interlock.cli.Typed.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands in front of what is no server of this build: a later one, or a proxy. */
class WatchTest {

    @Test
    void aStateThatIsUnknownHereIsWatchedToItsEnd() throws IOException {
        assertThat(watched(
                        "{\"state\": \"HIBERNATING\"}",
                        "{\"state\": \"SUCCEEDED\", \"endedAt\": \"2026-11-16T10:00:00Z\"}"))
                .isZero();
        assertThat(watched(
                        "{\"state\": \"RUNNING\"}",
                        "{\"state\": \"EVAPORATED\", \"endedAt\": \"2026-11-16T10:00:00Z\"}"))
                .isEqualTo(1);
    }

    @Test
    void theNextStepFitsTheAnswerOfAProxy() throws IOException {
        assertThat(refused(401)).contains("INTERLOCK_API_KEY").doesNotContain("higher role");
        assertThat(refused(403)).contains("higher role");
        assertThat(refused(429)).contains("try again later").doesNotContain("interlock locks");
    }

    /** What is said about an answer with this status that is no problem. */
    private static String refused(int status) throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/", exchange -> {
            byte[] answer = "no".getBytes(StandardCharsets.UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        proxy.start();
        try {
            Answer answer = through(proxy).type("runs", "submit", "close");
            assertThat(answer.err()).contains("answered with " + status);
            return answer.err();
        } finally {
            proxy.stop(0);
        }
    }

    private static Typed through(HttpServer server) {
        return new Typed(
                        "INTERLOCK_SERVER",
                        "http://localhost:" + server.getAddress().getPort())
                .set("INTERLOCK_API_KEY", "none");
    }

    /** The exit code of a client that is told this, one after the other. */
    private static int watched(String... states) throws IOException {
        Iterator<String> next = List.of(states).iterator();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/runs/", exchange -> {
            byte[] answer = next.next().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            Answer answer = through(server).type("runs", "watch", "4711", "--json");
            assertThat(next.hasNext()).as(answer.err()).isFalse();
            return answer.code();
        } finally {
            server.stop(0);
        }
    }
}

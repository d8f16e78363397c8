package io.interlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.command.HealthServer.HealthPort;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The port of a worker under slow, odd and many clients. */
class HealthPortTest {

    private final CountDownLatch stuck = new CountDownLatch(1);
    private final List<Socket> opened = new ArrayList<>();
    private HealthPort port = unset();

    @BeforeEach
    void open() throws IOException {
        port = new HealthPort(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Environment.system(),
                Map.of("/health/live", new HealthPort.Answer(200, "application/json", "{}")),
                Map.of(
                        "/metrics",
                        () -> new HealthPort.Answer(200, "text/plain", "x".repeat(2_000_000)),
                        "/slow",
                        () -> {
                            try {
                                stuck.await();
                            } catch (InterruptedException closing) {
                                Thread.currentThread().interrupt();
                            }
                            return new HealthPort.Answer(200, "text/plain", "at last");
                        }));
    }

    @AfterEach
    void close() throws IOException {
        stuck.countDown();
        for (Socket each : opened) {
            each.close();
        }
        port.close();
    }

    @Test
    void manyHalfRequestsKeepNoOtherFromBeingAnswered() throws IOException {
        for (int i = 0; i < HealthPort.MOST + 50; i++) {
            connect().getOutputStream().write("GET /health/live HT".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(ask("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .endsWith("{}");
    }

    @Test
    void anAnswerThatTakesLongHoldsUpNoneThatDoesNot() throws IOException {
        for (int i = 0; i < 20; i++) {
            connect().getOutputStream().write("GET /slow HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(ask("GET /health/live HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200");
        Socket patient = connect();
        patient.getOutputStream().write("GET /slow HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        stuck.countDown();
        assertThat(read(patient)).endsWith("at last");
    }

    @Test
    void aLongAnswerArrivesWhole() throws IOException {
        assertThat(ask("GET /metrics?x=1 HTTP/1.1\r\n\r\n"))
                .contains("Content-Length: 2000000")
                .endsWith("x".repeat(2_000_000));
    }

    @Test
    void whatIsNotKnownIsRefused() throws IOException {
        assertThat(ask("GET /other HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404");
        assertThat(ask("POST /health/live HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 405");
        assertThat(ask("HEAD /health/live HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .endsWith("\r\n\r\n");
        for (String odd : List.of("\r\n\r\n", "GET\r\n\r\n", "GET /health/live SMTP\r\n\r\n", "x".repeat(10_000))) {
            assertThat(ask(odd)).isEmpty();
        }
    }

    private String ask(String request) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return read(socket);
    }

    private static String read(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException hungUp) {
            return "";
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(port.address().getAddress(), port.address().getPort());
        opened.add(socket);
        return socket;
    }

    @SuppressWarnings("NullAway")
    private static HealthPort unset() {
        return null;
    }
}

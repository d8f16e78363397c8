package io.interlock.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that says what a test wants it to say, when the test wants it: real requests, with every answer in the test's hand. */
final class SpokenServer implements AutoCloseable {

    /** What is answered to a question. */
    interface Answers {
        /** Answers {@code question} of {@code server}, beginning with another status than 200 if there is one, or throws to hang up. */
        String to(SpokenServer server, Question question) throws Exception;
    }

    /**
     * What a worker asks.
     *
     * @param verb the last word of its path: claims, heartbeat, finish
     * @param body what it says
     * @param before how many questions with this verb there were before
     */
    record Question(String verb, String body, int before) {

        /** Whether it is one for work that is there at once. */
        boolean isLast() {
            return body.contains("PT0S");
        }
    }

    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Question> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Answers answers;

    SpokenServer(Answers answers) {
        this.answers = answers;
        try {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        http.setExecutor(threads);
        http.createContext("/api/v1/", this::answer);
        http.start();
    }

    String url() {
        return "http://localhost:" + http.getAddress().getPort();
    }

    /** What was asked so far with this verb. */
    List<Question> asked(String verb) {
        return asked.stream().filter(each -> each.verb().equals(verb)).toList();
    }

    /** Never answers. */
    String silence() throws InterruptedException {
        over.await();
        throw new InterruptedException("the test is over");
    }

    /** The answer to a claim. */
    static String items(String... items) {
        return "{\"items\":[" + String.join(",", items) + "]}";
    }

    /** A run of job load to be done under {@code lease}. */
    static String item(String run, String lease, int attempt, Duration ttl) {
        return "{\"run\":{\"id\":\"" + run + "\",\"job\":\"load\",\"key\":\"ledger\",\"attempt\":" + attempt
                + ",\"submittedAt\":\"2026-11-15T20:00:00Z\",\"startedAt\":\"2026-11-15T20:00:00Z\"},\"leaseId\":\""
                + lease + "\",\"token\":" + attempt + ",\"parameters\":{},\"tenant\":\"acme\",\"lease\":\"" + ttl
                + "\"}";
    }

    /** The answer to a heartbeat. */
    static String beating(Duration ttl) {
        return "{\"token\":1,\"expiresAt\":\"" + Instant.now().plus(ttl) + "\",\"cancelRequested\":false}";
    }

    @Override
    public void close() {
        over.countDown();
        http.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String verb = path.substring(path.lastIndexOf('/') + 1);
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Question question;
            synchronized (this) {
                question = new Question(verb, body, asked(verb).size());
                asked.add(question);
            }
            String text = answers.to(this, question);
            boolean other = text.matches("(?s)\\d{3}\\{.*");
            byte[] bytes = text.substring(other ? 3 : 0).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(other ? Integer.parseInt(text.substring(0, 3)) : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (Exception hungUp) {
            throw new IOException(hungUp);
        }
    }
}

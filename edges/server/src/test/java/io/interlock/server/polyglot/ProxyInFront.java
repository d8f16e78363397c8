package io.interlock.server.polyglot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.interlock.server.launch.RealServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/** Passes requests on to a server, but answers some with a page of its own, as a proxy does whose server is away. */
final class ProxyInFront implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final byte[] PAGE = "<html>Back soon</html>".getBytes(StandardCharsets.UTF_8);

    private final RealServer server;
    private final ToIntFunction<String> pages;
    private final HttpServer listening;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** One with {@code pages}, which says of a path with what status the page is the answer; 0 passes the request on. */
    ProxyInFront(RealServer server, ToIntFunction<String> pages) throws IOException {
        this.server = server;
        this.pages = pages;
        listening = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        listening.setExecutor(threads);
        listening.createContext("/", this::answer);
        listening.start();
    }

    String url() {
        return "http://127.0.0.1:" + listening.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            int status = pages.applyAsInt(path);
            if (status != 0) {
                send(exchange, status, PAGE);
                return;
            }
            HttpResponse<byte[]> answer = HTTP.send(
                    HttpRequest.newBuilder(URI.create(server.url() + path))
                            .header("Content-Type", "application/json")
                            .header("x-api-key", server.key().orElseThrow())
                            .POST(BodyPublishers.ofByteArray(body))
                            .build(),
                    BodyHandlers.ofByteArray());
            send(exchange, answer.statusCode(), answer.body());
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        listening.stop(0);
        threads.shutdownNow();
    }
}

package io.interlock.engine.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that keeps what it was asked, and answers as it is told. */
public final class OtherSide implements AutoCloseable {

    public record Asked(String method, String path, Map<String, List<String>> headers, String body) {

        /** The value of a header, or nothing. */
        public String header(String name) {
            return String.join(
                    ",", headers.getOrDefault(Character.toUpperCase(name.charAt(0)) + name.substring(1), List.of()));
        }
    }

    public final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private OtherSide(HttpHandler handler) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            handler.handle(exchange);
        });
        server.start();
    }

    /** One that does this. */
    public static OtherSide doing(HttpHandler handler) throws IOException {
        return new OtherSide(handler);
    }

    /** One that answers this. */
    public static OtherSide answering(int status, String body, String... headers) throws IOException {
        return new OtherSide(exchange -> answer(exchange, status, body, headers));
    }

    public static void answer(HttpExchange exchange, int status, String body, String... headers) throws IOException {
        for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    public URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

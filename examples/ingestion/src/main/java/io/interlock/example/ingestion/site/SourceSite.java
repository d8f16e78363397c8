package io.interlock.example.ingestion.site;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The site. {@code /events/N} has the races, {@code /events/N/entries} the entry list, {@code /events/N/races/R} has
 * results and
 * laps. Every page has a version, its ETag, and answers 304 to a request with the current version. A POST to a race's
 * page revises it.
 *
 * <p>Thread-safe.
 */
public final class SourceSite implements AutoCloseable {

    /**
     * An answered request.
     *
     * @param path the requested path
     * @param status the status of the answer; 0 if the connection was cut
     */
    public record Served(String path, int status) {}

    private final Season season = new Season();
    private final Moods moods = new Moods();
    private final List<Served> served = new CopyOnWriteArrayList<>();
    private final ExecutorService threads;
    private final HttpServer server;

    private SourceSite(HttpServer server, Environment environment) {
        this.server = server;
        this.threads = Executors.newCachedThreadPool(environment.threads("source-site"));
    }

    /** Starts a site on a port of this host; 0 takes any free port. */
    public static SourceSite start(int port, Environment environment) throws IOException {
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        SourceSite site = new SourceSite(HttpServer.create(here, 0), environment);
        site.server.setExecutor(site.threads);
        site.server.createContext("/", site::answer);
        site.server.start();
        return site;
    }

    /** Its address. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** How its pages misbehave. */
    public Moods moods() {
        return moods;
    }

    /** Changes the results and laps of a race. */
    public void revise(String path) {
        season.revise(path);
    }

    /** What it has answered so far, in order. */
    public List<Served> served() {
        return List.copyOf(served);
    }

    /** Forgets what it has answered. */
    public void forget() {
        served.clear();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("POST")) {
                season.revise(path);
                send(exchange, path, 204, "");
                return;
            }
            // Before the wait: a slow page has the content at the time of the request.
            Optional<String> page = season.page(path);
            switch (moods.next(path)) {
                case FAILS -> send(exchange, path, 500, "");
                case CUTS -> cut(exchange, path);
                case WORKS -> send(exchange, path, page.isPresent() ? 200 : 404, page.orElse(""));
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(HttpExchange exchange, String path, int status, String page) throws IOException {
        String version = "\"" + Integer.toHexString(page.hashCode()) + "\"";
        boolean known =
                status == 200 && version.equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
        served.add(new Served(path, known ? 304 : status));
        exchange.getResponseHeaders().set("ETag", version);
        if (known || page.isEmpty()) {
            exchange.sendResponseHeaders(known ? 304 : status, -1);
            return;
        }
        byte[] body = page.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Announces more bytes than it sends. */
    private void cut(HttpExchange exchange, String path) throws IOException {
        served.add(new Served(path, 0));
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().write("race;".getBytes(UTF_8));
    }

    @Override
    public void close() {
        moods.release();
        server.stop(0);
        threads.shutdownNow();
    }
}

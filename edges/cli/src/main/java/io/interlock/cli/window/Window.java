package io.interlock.cli.window;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Json;
import io.interlock.engine.EngineListener;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.metrics.InterlockMeters;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Says over HTTP how a worker is: {@code /health/live}, {@code /health/ready}, {@code /metrics}. Nobody needs a key for it, and nothing can be
 * done by it. Safe for use by many threads.
 */
public final class Window implements AutoCloseable {

    private static final int THREADS = 4;
    private static final int READY = 200;
    private static final int NOT_ALLOWED = 405;
    private static final int NOT_READY = 503;

    private final HttpServer http;
    private final ExecutorService threads;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final InterlockMeters meters = InterlockMeters.on(registry);
    private final Environment environment;
    private final Readiness readiness;

    private Window(HttpServer http, Environment environment) {
        this.http = http;
        this.environment = environment;
        this.readiness = new Readiness(environment);
        this.threads = Executors.newFixedThreadPool(THREADS, environment.threads("interlock-window"));
        http.setExecutor(threads);
        http.createContext("/health/live", exchange -> health(exchange, Optional.empty()));
        http.createContext("/health/ready", exchange -> health(exchange, readiness.obstacle()));
        http.createContext(
                "/metrics",
                exchange -> answer(exchange, READY, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
        http.start();
    }

    /** Opens one; port 0 takes any free one. */
    public static Window open(String host, int port, Environment environment) {
        try {
            return new Window(
                    HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), 0), environment);
        } catch (IOException | IllegalArgumentException cannot) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "port-unavailable",
                    "a worker cannot listen at " + host + ":" + port + ": " + cannot.getMessage(),
                    "choose another --port (0 takes any free one) or --host");
        }
    }

    /** {@code store}, with its steps timed. */
    public OpenStore onto(OpenStore store) {
        return store.through(meters::around);
    }

    /** Counts what happens in the engine that is shown. */
    public EngineListener listener() {
        return meters.listener();
    }

    /** Shows an engine on a store, and what waits and runs there; it is ready while {@code question} is answered. */
    public void show(RunEngine engine, Runnable question) {
        meters.watch(engine, environment);
        readiness.by(question);
    }

    /** Shows an engine that does a server's work, and knows nothing of what else waits and runs there. */
    public void showWork(WorkerEngine engine, Runnable question) {
        meters.know(engine);
        readiness.by(question);
    }

    /** From now on it is not ready. */
    public void stopping() {
        readiness.by(null);
    }

    @Override
    public void close() {
        meters.close();
        http.stop(0);
        threads.shutdownNow();
    }

    /** Where it is. */
    @Override
    public String toString() {
        InetSocketAddress address = http.getAddress();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static void health(HttpExchange exchange, Optional<String> obstacle) throws IOException {
        Facts told = Facts.with("status", obstacle.isEmpty() ? "UP" : "DOWN")
                .and("reason", obstacle.orElse(null))
                .done();
        answer(exchange, obstacle.isEmpty() ? READY : NOT_READY, "application/json", Json.line(told));
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean asked = method.equals("GET") || method.equals("HEAD");
            byte[] bytes = (method.equals("GET") ? text : "").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(asked ? status : NOT_ALLOWED, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}

package io.interlock.cli.health;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Json;
import io.interlock.engine.EngineListener;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.metrics.InterlockMeters;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * Says over HTTP how a worker is: {@code /health/live}, {@code /health/ready}, {@code /metrics}. Nobody needs a key for it, and nothing can be
 * done by it. Safe for use by many threads.
 */
public final class HealthServer implements AutoCloseable {

    private static final int READY = 200;
    private static final int NOT_READY = 503;

    private final HealthPort port;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final InterlockMeters meters = InterlockMeters.on(registry);
    private final Environment environment;
    private final Readiness readiness;

    private HealthServer(InetSocketAddress address, Environment environment) throws IOException {
        this.environment = environment;
        this.readiness = new Readiness(environment);
        this.port = HealthPort.open(
                address,
                environment,
                Map.of("/health/live", health(Optional.empty())),
                Map.of(
                        "/health/ready", () -> health(readiness.obstacle()),
                        "/metrics",
                                () -> new HealthPort.Answer(
                                        READY, "text/plain; version=0.0.4; charset=utf-8", registry.scrape())));
    }

    /** Opens one; port 0 takes any free one. */
    public static HealthServer open(String host, int port, Environment environment) {
        try {
            return new HealthServer(new InetSocketAddress(InetAddress.getByName(host), port), environment);
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
        port.close();
    }

    /** Where it is. */
    @Override
    public String toString() {
        InetSocketAddress address = port.address();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static HealthPort.Answer health(Optional<String> obstacle) {
        Facts told = Facts.with("status", obstacle.isEmpty() ? "UP" : "DOWN").and("reason", obstacle.orElse(null));
        return new HealthPort.Answer(obstacle.isEmpty() ? READY : NOT_READY, "application/json", Json.line(told));
    }
}

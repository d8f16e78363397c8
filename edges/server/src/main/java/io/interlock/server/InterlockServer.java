package io.interlock.server;

import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.config.OidcSettings;
import io.interlock.config.Readiness;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.access.Authentication;
import io.interlock.server.access.OidcRoutes;
import io.interlock.server.api.Api;
import io.interlock.server.api.Api.TenantRequests;
import io.interlock.server.api.ContractDocument.DocumentRoutes;
import io.interlock.server.api.Operations;
import io.interlock.server.http.ClientAddress;
import io.interlock.server.http.ConnectionLimit;
import io.interlock.server.http.HttpServerFactory;
import io.interlock.server.http.ListenPolicy;
import io.interlock.server.http.RequestFilter;
import io.interlock.server.session.Sessions;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A listening server. It answers on event loops, one per core up to four, none of which ever waits for anything.
 *
 * <p>Safe for use by many threads.
 */
public final class InterlockServer {

    private static final int MOST_LOOPS = 4;

    /** Of a port of its own for health and metrics. */
    private static final Limits.Connections MONITORS = new Limits.Connections(64, 64);

    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final Vertx vertx;
    private final Operations operations;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private volatile int port;
    private volatile int managementPort;
    private @Nullable CompletionStage<Void> stopped;

    private InterlockServer(Vertx vertx, Operations operations) {
        this.vertx = vertx;
        this.operations = operations;
    }

    /**
     * Begins to listen.
     *
     * @return the server once it listens; fails with {@link io.interlock.InvalidSettingException} if that would be unsafe
     */
    public static CompletionStage<InterlockServer> start(Listen listen, Limits limits, ServerParts parts) {
        InterlockServer server = new InterlockServer(vertx(parts), parts.operations());
        return Future.fromCompletionStage(parts.keys().list(null))
                .map(keys -> {
                    Instant now = parts.environment().clock().instant();
                    ListenPolicy.require(listen, keys.stream().anyMatch(key -> key.isActive(now)));
                    return keys;
                })
                .compose(safe -> server.contracts())
                .compose(contracts -> server.listen(listen, limits, parts, contracts))
                .map(server)
                .recover(failure -> server.vertx.close().transform(closed -> Future.failedFuture(failure)))
                .toCompletionStage();
    }

    private Future<Map<Api, Operations>> contracts() {
        Map<String, Operations> all = new LinkedHashMap<>();
        all.put(Api.DOCUMENT, operations);
        all.putAll(operations.further());
        Map<Api, Operations> contracts = new LinkedHashMap<>();
        Future<Void> loaded = Future.succeededFuture();
        for (Map.Entry<String, Operations> each : all.entrySet()) {
            loaded = loaded.compose(before -> Api.load(vertx, each.getKey()))
                    .map(api -> contracts.put(api, each.getValue()))
                    .mapEmpty();
        }
        return loaded.map(contracts);
    }

    public int port() {
        return port;
    }

    /** Where health and metrics are: a port of their own, or the same. */
    public int managementPort() {
        return managementPort;
    }

    /** Refuses new requests, answers waiting ones, lets running ones end within {@code grace}, and closes. May be called twice. */
    public synchronized CompletionStage<Void> stop(Duration grace) {
        if (stopped == null) {
            operations.stop();
            stopped = shutDown(grace);
        }
        return stopped;
    }

    private CompletionStage<Void> shutDown(Duration grace) {
        return Future.join(servers.stream()
                        .map(server -> server.shutdown(grace.toMillis(), TimeUnit.MILLISECONDS))
                        .toList())
                .transform(shut -> vertx.close())
                .toCompletionStage();
    }

    private Future<Void> listen(Listen listen, Limits limits, ServerParts parts, Map<Api, Operations> contracts) {
        ClientAddress addresses = new ClientAddress(listen.trustedProxies());
        Authentication authentication = new Authentication(
                parts.keys(),
                parts.sessions(),
                limits.requestsPerSecond(),
                !listen.behindProxy() || addresses.trustsProxies(),
                parts.environment().ticker());
        RequestFilter gate = new RequestFilter(
                parts.environment(), limits, addresses, listen.tls() != null, parts.records()::refused);
        TenantRequests requests = new TenantRequests(limits.tenant());
        ManagementRoutes inside = new ManagementRoutes(parts.readiness(), parts.meters());
        Router main = gate.router(vertx);
        if (listen.managementPort() == null) {
            inside.closeTo(main, authentication, listen.behindProxy());
        }
        OidcSettings oidc = parts.oidc();
        if (oidc != null) {
            new OidcRoutes(oidc, parts.sessions(), parts.records(), parts.environment(), vertx).addTo(main);
        }
        UiRoutes.addTo(main, vertx, oidc == null ? "" : oidc.name());
        DocumentRoutes.addTo(main, contracts.keySet());
        contracts.forEach((api, answering) ->
                main.route(api.base() + "/*").subRouter(api.routes(vertx, authentication, gate, requests, answering)));
        Future<Integer> listening = open(
                        listen, limits, listen.port(), main, ConnectionLimit.of(limits.connections(), addresses))
                .map(bound -> {
                    port = bound;
                    managementPort = bound;
                    return bound;
                });
        if (listen.managementPort() == null) {
            return listening.mapEmpty();
        }
        Router management = gate.router(vertx);
        inside.openTo(management);
        int wanted = listen.managementPort();
        return listening
                .compose(done -> open(listen, limits, wanted, management, ConnectionLimit.of(MONITORS, addresses)))
                .map(bound -> managementPort = bound)
                .mapEmpty();
    }

    private Future<Integer> open(Listen listen, Limits limits, int wanted, Router router, ConnectionLimit most) {
        int loops = Math.min(MOST_LOOPS, Runtime.getRuntime().availableProcessors());
        // All loops take connections of one port; a free one is shared by asking for the same negative number.
        int asked = wanted == 0 ? -1 - servers.size() : wanted;
        // One first: if the port is taken, that is said once.
        return openOne(listen, limits, asked, router, most)
                .compose(first -> Future.all(IntStream.range(1, loops)
                                .mapToObj(loop -> openOne(listen, limits, asked, router, most))
                                .toList())
                        .map(first));
    }

    private Future<Integer> openOne(Listen listen, Limits limits, int wanted, Router router, ConnectionLimit most) {
        HttpServerOptions options = HttpServerFactory.options(listen, wanted, limits);
        HttpServer server = HttpServerFactory.strict(vertx.createHttpServer(options), options, most)
                .requestHandler(router);
        servers.add(server);
        Deployable loop = context -> server.listen();
        return vertx.deployVerticle(loop, new DeploymentOptions()).map(deployed -> server.actualPort());
    }

    private static Vertx vertx(ServerParts parts) {
        MicrometerMetricsOptions metrics = new MicrometerMetricsOptions()
                .setEnabled(true)
                // Registries are known to the whole process by their names, and the first one of a name stays.
                .setRegistryName("interlock-" + SERVERS.incrementAndGet())
                .setLabels(EnumSet.of(Label.HTTP_METHOD, Label.HTTP_CODE));
        return Vertx.builder()
                .with(new VertxOptions().setMetricsOptions(metrics))
                .withMetrics(new MicrometerMetricsFactory(parts.meters()))
                .build();
    }

    /**
     * What a server is made of, apart from its settings.
     *
     * @param sessions who has signed in; the same as the operations have
     * @param records who was refused; the same as the operations have
     * @param oidc with which provider people sign in, or {@code null} if with none
     */
    public record ServerParts(
            Environment environment,
            KeyRing keys,
            Readiness readiness,
            Operations operations,
            PrometheusMeterRegistry meters,
            Sessions sessions,
            AccessRecords records,
            @Nullable OidcSettings oidc) {}
}

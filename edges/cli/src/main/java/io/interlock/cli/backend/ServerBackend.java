package io.interlock.cli.backend;

import io.interlock.RunId;
import io.interlock.cli.text.Failure;
import io.interlock.client.InterlockClient;
import io.interlock.client.ServerConnection;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.service.Facts;
import io.interlock.service.HistoryFacts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Works through a server. */
public final class ServerBackend implements Backend {

    private static final int MAX_WITNESSES = 20;

    private final InterlockClient remote;
    private final ServerConnection client;
    private final String actor;
    private final Environment environment;

    /** Works through a server, for {@code actor}. */
    public ServerBackend(InterlockClient client, String actor, Environment environment) {
        this.remote = client;
        this.client = client.connection();
        this.actor = actor;
        this.environment = environment;
    }

    @Override
    public KeyAcquirer acquirer() {
        return new RunKeyAcquirer(this, new ClientRuns(), environment, actor);
    }

    @Override
    public RunApi runs() {
        return new ServerRuns();
    }

    @Override
    public BareLeases leases() {
        return new BareLeases(remote::leases);
    }

    @Override
    public KeyApi keys() {
        return new ServerKeys();
    }

    @Override
    public AdminApi admin() {
        return new ServerAdmin();
    }

    @Override
    public void close() {
        remote.close();
    }

    /** The fields of {@code filter} as a query. */
    private static String[] query(Facts filter) {
        return filter.map().entrySet().stream()
                .flatMap(field -> Stream.of(field.getKey(), String.valueOf(field.getValue())))
                .toArray(String[]::new);
    }

    private final class ClientRuns implements RunKeyAcquirer.Runs {

        @Override
        public Submission submit(RunRequest request) {
            return remote.submit(request);
        }

        @Override
        public void cancel(RunId run, String reason) {
            remote.cancel(run, reason);
        }

        @Override
        public int position(RunId run) {
            return (int) client.get("/runs/" + run).number("position").orElse(0);
        }
    }

    @Override
    public List<Facts> locks(String prefix) {
        return client.items(MAX_LISTED, "/locks", "key", prefix.isEmpty() ? "" : prefix + "*");
    }

    @Override
    public Facts lock(String key) {
        return client.items(1, "/locks", "key", key).stream()
                .findFirst()
                .orElseGet(() -> Facts.with("key", key).and("explanation", key + " is free"));
    }

    @Override
    public Facts evict(String key, long token, String reason) {
        return client.post(
                "/locks/evict", Facts.with("key", key).and("token", token).and("reason", reason));
    }

    @Override
    public Facts pause(String pattern, String reason, @Nullable Duration time) {
        Instant until = time == null ? null : environment.clock().instant().plus(time);
        return client.post("/locks/pause", named(pattern, reason).and("until", until));
    }

    @Override
    public void resume(String pattern, String reason) {
        client.post("/locks/resume", named(pattern, reason));
    }

    private static Facts named(String pattern, String reason) {
        return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern).and("reason", reason);
    }

    private final class ServerRuns implements RunApi {

        @Override
        public List<Facts> list(Facts filter, int limit) {
            return client.items(limit, "/runs", query(filter));
        }

        @Override
        public List<Facts> dead(@Nullable String job, int limit) {
            return client.items(limit, "/runs", "state", "DEAD", "unsettled", "true", "job", job == null ? "" : job);
        }

        @Override
        public Facts show(String id) {
            return client.get("/runs/" + checked(id), "output", "true");
        }

        @Override
        public Facts await(String id, Duration maxWait) {
            return client.getWithin(maxWait, "/runs/" + checked(id));
        }

        @Override
        public List<Facts> queue(@Nullable String key) {
            if (key != null) {
                return queued(key);
            }
            return client.items(MAX_LISTED, lock -> lock.number("waiting").orElse(0) > 0, "/locks").stream()
                    .flatMap(lock -> queued(lock.shown("key")).stream())
                    .toList();
        }

        private List<Facts> queued(String key) {
            return client.items(MAX_LISTED, "/locks/line", "key", key).stream()
                    .map(waiter -> waiter.and("key", key))
                    .toList();
        }

        @Override
        public Facts submit(Facts wish) {
            return client.post("/runs", wish);
        }

        @Override
        public Facts order(Order order, String id, String reason) {
            if (order == Order.RERUN) {
                Facts run = show(id);
                if (run.shown("execution").equals("caller")) {
                    throw RunApi.doneByCaller(id, run.shown("key"));
                }
            }
            String verb = order.name().toLowerCase(Locale.ROOT);
            return client.post("/runs/" + checked(id) + "/" + verb, Facts.with("reason", reason));
        }

        private static String checked(String id) {
            if (!id.matches("[0-9A-Za-z-]{1,64}")) {
                throw Failure.unknown("there is no run called '" + id + "'", "interlock runs ls lists the runs");
            }
            return id;
        }
    }

    private final class ServerKeys implements KeyApi {

        @Override
        public Facts create(String role, String label, @Nullable Duration lifetime) {
            return client.post(
                    "/keys", Facts.with("role", role).and("label", label).and("expiresIn", lifetime));
        }

        @Override
        public List<Facts> list() {
            return client.items(Integer.MAX_VALUE, "/keys");
        }

        @Override
        public void revoke(String id, String reason) {
            client.delete("/keys", "id", id, "reason", reason);
        }
    }

    private final class ServerAdmin implements AdminApi {

        @Override
        public List<Facts> audit(Facts filter, int limit) {
            return client.items(limit, "/audit", query(filter));
        }

        @Override
        public Facts verifyAudit(Evidence evidence) {
            if (evidence.key() != null || evidence.keptFor() != null) {
                throw Failure.usage(
                        "a server has its own audit key and knows how long it keeps records",
                        "leave --audit-key-file and --kept-for out, or name the store itself: --store URL");
            }
            // The greatest positions prove the most: a link is made of all before it.
            String witnesses = evidence.witnesses().stream()
                    .sorted(Comparator.comparingLong(Witness::position).reversed())
                    .limit(MAX_WITNESSES)
                    .map(Witness::toString)
                    .collect(Collectors.joining(","));
            return client.get("/audit/verify", "witness", witnesses);
        }

        @Override
        public Facts signAudit(AuditKey key) {
            throw Failure.usage(
                    "an audit log is signed anew at the store itself, not through the server",
                    "name the store that the server uses: --store URL");
        }

        @Override
        public List<Facts> jobs() {
            return client.get("/jobs").list("items");
        }

        @Override
        public Facts janitor() {
            return client.get("/janitor");
        }

        @Override
        public Facts sweep(boolean dryRun) {
            if (!dryRun) {
                return client.post("/janitor/sweep", null);
            }
            return AdminApi.due(locks("").stream()
                    .filter(lock -> lock.in("holder").text("holder").isPresent()
                            && !lock.in("holder").is("alive"))
                    .map(lock -> Facts.with("key", lock.shown("key"))
                            .and("run", lock.in("holder").text("runId").orElse(null))
                            .and("why", lock.shown("explanation")))
                    .toList());
        }

        @Override
        public Facts resource(String key) {
            return client.get("/resources", "key", key);
        }

        @Override
        public Facts setResource(String key, String state, @Nullable String kind, String reason) {
            return client.put(
                    "/resources",
                    Facts.with("key", key).and("state", state).and("kind", kind).and("reason", reason));
        }

        @Override
        public Facts summary() {
            return client.get("/summary");
        }

        @Override
        public Facts history() {
            return client.get("/history?window=" + HistoryFacts.Window.HOUR.word());
        }

        @Override
        public List<Facts> workers() {
            return client.get("/workers").list("items");
        }
    }
}

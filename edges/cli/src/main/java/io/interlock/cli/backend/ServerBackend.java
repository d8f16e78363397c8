package io.interlock.cli.backend;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.cli.backend.Backend.AdminApi;
import io.interlock.cli.backend.Backend.KeyApi;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.backend.Backend.LockApi;
import io.interlock.cli.backend.Backend.RunApi;
import io.interlock.cli.text.Failure;
import io.interlock.client.InterlockClient;
import io.interlock.client.Json;
import io.interlock.client.ServerConnection;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.Witness;
import io.interlock.service.Facts;
import io.interlock.service.HistoryFacts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Works through a server. */
public final class ServerBackend implements Backend {

    /** As many as a request may have. */
    private static final int MAX_WITNESSES = 20;

    private final InterlockClient remote;
    private final ServerConnection client;
    private final Target target;

    /**
     * Works through a server.
     *
     * @param target for whom, and in which environment
     */
    public ServerBackend(InterlockClient client, Target target) {
        this.remote = client;
        this.client = client.connection();
        this.target = target;
    }

    /** For whom to act, and clocks and threads. */
    public record Target(String actor, Environment environment) {}

    @Override
    public KeyAcquirer acquirer() {
        return new RunKeyAcquirer(new ClientRuns(), target.environment(), target.actor());
    }

    @Override
    public LockApi locks() {
        return new ServerLocks();
    }

    @Override
    public RunApi runs() {
        return new ServerRuns();
    }

    @Override
    public LeaseApi leases() {
        return new LeaseBackend.StoreLeases(remote::leases);
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

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** One lock, also of a key that is free. */
    static Facts lock(ServerConnection client, String key) {
        return client.items(1, "/locks", "key", key).stream()
                .findFirst()
                .orElseGet(() -> Facts.with("key", key).and("explanation", key + " is free"));
    }

    private final class ClientRuns implements RunKeyAcquirer.Runs {

        @Override
        public Submission submit(RunRequest request) {
            return remote.submit(request);
        }

        @Override
        public Facts lock(LockKey key) {
            return ServerBackend.lock(client, key.name());
        }

        @Override
        public int position(RunId run) {
            return (int) client.get("/runs/" + run).number("position").orElse(0);
        }

        @Override
        public void cancel(RunId run, String reason) {
            remote.cancel(run, reason);
        }
    }

    private final class ServerLocks implements LockApi {

        @Override
        public List<Facts> list(String prefix) {
            return client.items(MAX_LISTED, "/locks", "key", prefix.isEmpty() ? "" : prefix + "*");
        }

        @Override
        public Facts show(String key) {
            return lock(client, key);
        }

        @Override
        public Facts evict(String key, long token, String reason) {
            return client.post(
                    "/locks/evict", Facts.with("key", key).and("token", token).and("reason", reason));
        }

        @Override
        public Facts pause(String pattern, String reason, @Nullable Duration time) {
            return client.post(
                    "/locks/pause",
                    named(pattern)
                            .and("reason", reason)
                            .and(
                                    "until",
                                    time,
                                    wanted -> target.environment()
                                            .clock()
                                            .instant()
                                            .plus(wanted)));
        }

        @Override
        public void resume(String pattern, String reason) {
            client.post("/locks/resume", named(pattern).and("reason", reason));
        }

        private static Facts named(String pattern) {
            return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern);
        }
    }

    private final class ServerRuns implements RunApi {

        @Override
        public List<Facts> list(Filter filter) {
            return client.items(
                    filter.limit(),
                    "/runs",
                    "key",
                    text(filter.key()),
                    "state",
                    text(filter.state()),
                    "job",
                    text(filter.job()),
                    "holder",
                    text(filter.holder()),
                    "label",
                    text(filter.label()),
                    "error",
                    text(filter.error()),
                    "since",
                    text(filter.since()),
                    "failedSince",
                    text(filter.failedSince()));
        }

        @Override
        public List<Facts> dead(@Nullable String job, int limit) {
            return client.items(limit, "/runs", "state", "DEAD", "unsettled", "true", "job", text(job));
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
            List<Facts> waiting = new ArrayList<>();
            List<String> keys = key != null
                    ? List.of(key)
                    : client
                            .items(
                                    LockApi.MAX_LISTED,
                                    lock -> lock.number("waiting").orElse(0) > 0,
                                    "/locks")
                            .stream()
                            .map(lock -> lock.shown("key"))
                            .toList();
            keys.forEach(name -> client.items(MAX_QUEUED, "/locks/line", "key", name)
                    .forEach(waiter -> waiting.add(waiter.and("key", name))));
            return waiting;
        }

        @Override
        public Facts submit(Wish wish) {
            String policy = wish.onConflict();
            return client.post(
                    "/runs",
                    Facts.with("key", wish.key())
                            .and("job", wish.job())
                            .and(
                                    "onConflict",
                                    policy,
                                    word -> word.toUpperCase(Locale.ROOT).replace('-', '_'))
                            .and("parameters", Json.foreign(wish.parameters()))
                            .and("reason", wish.reason())
                            .and("idempotencyKey", wish.idempotencyKey())
                            .and("priority", wish.priority()));
        }

        @Override
        public Facts rerun(String id, String reason) {
            Facts run = show(id);
            if (run.shown("execution").equals("caller")) {
                throw Backend.doneByCaller(id, run.shown("key"));
            }
            return order(id, "rerun", reason);
        }

        @Override
        public Facts cancel(String id, String reason) {
            return order(id, "cancel", reason);
        }

        @Override
        public Facts front(String id, String reason) {
            return order(id, "front", reason);
        }

        @Override
        public Facts redrive(String id, String reason) {
            return order(id, "redrive", reason);
        }

        @Override
        public Facts discard(String id, String reason) {
            return order(id, "discard", reason);
        }

        private Facts order(String id, String verb, String reason) {
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
        public List<Facts> audit(AuditFilter filter) {
            return client.items(
                    filter.limit(),
                    "/audit",
                    "key",
                    text(filter.key()),
                    "run",
                    text(filter.run()),
                    "action",
                    text(filter.action()),
                    "since",
                    text(filter.since()),
                    "until",
                    text(filter.until()));
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
            return Backend.due(locks().list("").stream()
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

package io.interlock.cli.backend;

import io.interlock.client.Requests;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.service.Facts;
import io.interlock.service.HistoryFacts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resources, audit log, workers, jobs and the janitor. */
public abstract class AdminApi {

    private final Requests requests;

    AdminApi(Requests requests) {
        this.requests = requests;
    }

    /**
     * What is known about an audit log from outside its store.
     *
     * @param witnesses links that were written down earlier
     * @param key signs the log, or {@code null}; a server has its own
     * @param keptFor how long records are kept, or {@code null}; a server knows it
     */
    public record Evidence(
            List<Witness> witnesses,
            @Nullable AuditKey key,
            @Nullable Duration keptFor) {}

    /**
     * The first {@code limit} audit records, the newest first.
     *
     * @param filter {@code key?, run?, action?, since?, until?}
     */
    public final List<Facts> audit(Facts filter, int limit) {
        return requests.items(limit, "/audit", RestBackend.query(filter));
    }

    /** Checks the whole audit log: {@code clean, records, findings, head, sentence}. */
    public abstract Facts verifyAudit(Evidence evidence);

    /** Signs the audit log as it is now: {@code signed}, the last link. */
    public abstract Facts signAudit(AuditKey key);

    public abstract List<Facts> jobs();

    /** A server's {@code sweeps} (each {@code sweep, at, actions, skipped?}), {@code nextAt?} and {@code every?}; on a store, what is due. */
    public abstract Facts janitor();

    /** Sweeps now: {@code sweeps}, as above. */
    abstract Facts sweep();

    /** Sweeps now, or lists what is due: {@code sweeps}, as above. */
    public final Facts sweep(boolean dryRun) {
        return dryRun ? due() : sweep();
    }

    /** What is due for a sweep: one entry whose actions are the {@code key, run?, why} of leases that have ended. */
    final Facts due() {
        List<Facts> due = requests.items(Backend.MAX_LISTED, AdminApi::hasEnded, "/locks", "state", "OVERDUE").stream()
                .map(lock -> Facts.with("key", lock.shown("key"))
                        .and("run", lock.in("holder").text("runId").orElse(null))
                        .and("why", lock.shown("explanation")))
                .toList();
        return Facts.with("sweeps", List.of(Facts.with("sweep", "due").and("actions", due)));
    }

    private static boolean hasEnded(Facts lock) {
        return lock.duration("leaseLeft").filter(Duration::isZero).isPresent();
    }

    /** The resource of a guarded key: {@code key, kind, state, version, …}. */
    public final Facts resource(String key) {
        return requests.get("/resources", "key", key);
    }

    /**
     * Sets the state of a resource whose key is free.
     *
     * @param kind its kind, or {@code null} for the kind it has, else the first part of the key
     */
    public final Facts setResource(String key, String state, @Nullable String kind, String reason) {
        return requests.put(
                "/resources",
                Facts.with("key", key).and("state", state).and("kind", kind).and("reason", reason));
    }

    /** What goes on, all of one moment, and what needs attention. */
    public final Facts summary() {
        return requests.get("/summary");
    }

    /** What became of runs in the last hour, by minutes. */
    public final Facts history() {
        return requests.get("/history", "window", HistoryFacts.Window.HOUR.word());
    }

    /** Processes that take work. */
    public final List<Facts> workers() {
        return requests.get("/workers").list("items");
    }
}

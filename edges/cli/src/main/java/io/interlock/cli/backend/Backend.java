package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Requests;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store or a server that carries out commands: as requests of the REST API, wherever that has one. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** How many keys, or queued runs of one key, are listed at the most. */
    int MAX_LISTED = RunQuery.MAX_LIMIT;

    /** For {@code interlock run}. */
    KeyAcquirer acquirer();

    BareLeases leases();

    /** Answers requests of the REST API. */
    Requests requests();

    /** The field of a pause that says how long it is: a store counts that itself. */
    default Facts lasting(Duration time) {
        return Facts.with("for", time);
    }

    /** One lock, also of a key that is free. */
    default Facts lock(String key) {
        return requests().lock(key).orElseGet(() -> Facts.with("key", key).and("explanation", key + " is free"));
    }

    /** Checks the whole audit log: {@code clean, records, findings, head, sentence}. */
    default Facts verifyAudit(Evidence evidence) {
        throw leasesOnly();
    }

    /** Signs the audit log as it is now: {@code signed}, the last link. */
    default Facts signAudit(AuditKey key) {
        throw leasesOnly();
    }

    /**
     * What is known about an audit log from outside its store.
     *
     * @param witnesses links that were written down earlier
     * @param key signs the log, or {@code null}; a server has its own
     * @param keptFor how long records are kept, or {@code null}; a server knows it
     */
    record Evidence(
            List<Witness> witnesses,
            @Nullable AuditKey key,
            @Nullable Duration keptFor) {}

    /** Gives up connections. */
    @Override
    void close();

    /** The failure of what needs a store of runs. */
    static Failure leasesOnly() {
        return new Failure(
                ExitCode.CONFIGURATION,
                "needs-run-store",
                "this store keeps leases only; it has no runs, no pauses, no API keys and no audit log",
                Failure.RUN_STORE);
    }
}

package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store or a server that carries out commands. Requests and answers have the fields of REST; every answer about a key is a lock, and
 * every answer about a run is a run, unless said otherwise. Safe for use by many threads.
 */
public interface Backend extends AutoCloseable {

    /** How many keys, or queued runs of one key, are listed at the most. */
    int MAX_LISTED = RunQuery.MAX_LIMIT;

    /** For {@code interlock run}. */
    KeyAcquirer acquirer();

    /** The first {@link #MAX_LISTED} keys that are held or waited for, of names that begin with {@code prefix}. */
    List<Facts> locks(String prefix);

    Facts lock(String key);

    /**
     * Evicts a lease, if it still has this token.
     *
     * @return {@code releasedToken, opensAt, nextRun?}
     */
    Facts evict(String key, long token, String reason);

    /**
     * Stops new grants under a key, or under all names with a prefix and {@code *}.
     *
     * @param time how long, or {@code null} until it is resumed
     * @return {@code key} or {@code pattern}, {@code paused, pausedBy, reason, until?}
     */
    default Facts pause(String pattern, String reason, @Nullable Duration time) {
        throw leasesOnly("pauses");
    }

    default void resume(String pattern, String reason) {
        throw leasesOnly("pauses");
    }

    BareLeases leases();

    default RunApi runs() {
        throw leasesOnly("runs, no queue and no dead letters");
    }

    default KeyApi keys() {
        throw leasesOnly("API keys");
    }

    default AdminApi admin() {
        throw leasesOnly("audit log, no jobs and no janitor");
    }

    /** Gives up connections. */
    @Override
    void close();

    private static Failure leasesOnly(String what) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "needs-run-store",
                "this store keeps leases only; it has no " + what,
                Failure.RUN_STORE);
    }
}

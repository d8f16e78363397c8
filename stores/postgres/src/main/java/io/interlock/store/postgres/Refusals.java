package io.interlock.store.postgres;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.run.JobName;
import io.interlock.run.Pause;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Why a key cannot be had, in the columns of an answer. */
final class Refusals {

    /** The columns, to be selected from an answer called {@code a}. */
    static final String SELECT = """
            (a.refusal).word AS refusal_word, (a.refusal).until AS refusal_until, (a.refusal).run AS refusal_run,
            (a.refusal).job AS refusal_job, (a.refusal).since AS refusal_since, (a.refusal).waiting AS refusal_waiting,
            (a.refusal).most AS refusal_most, (a.refusal).state AS refusal_state, (a.refusal).allowed AS refusal_allowed,
            ((a.refusal).pause).tenant AS pause_tenant, ((a.refusal).pause).pattern AS pause_pattern,
            ((a.refusal).pause).actor AS pause_actor, ((a.refusal).pause).reason AS pause_reason,
            ((a.refusal).pause).since AS pause_since, ((a.refusal).pause).until AS pause_until""";

    private Refusals() {}

    /**
     * The refusal of the current row, or {@code null} if it has none.
     *
     * @param key which key stood in the way
     * @param lease the lease of that key, if it has one
     * @param at the store's time
     */
    static @Nullable Refusal read(ResultSet result, @Nullable LockKey key, @Nullable LeaseRecord lease, Instant at)
            throws SQLException {
        Columns row = new Columns(result, "refusal_");
        String word = row.text("word");
        return word == null ? null : read(word, row, require(key), lease, at, new Columns(result, "pause_"));
    }

    private static Refusal read(
            String word, Columns row, LockKey key, @Nullable LeaseRecord lease, Instant at, Columns pause)
            throws SQLException {
        return switch (word) {
            case "held" -> new Refusal.Held(require(lease));
            case "delayed" -> new Refusal.Delayed(require(lease), row.requireInstant("until"));
            case "probe" -> new Refusal.AwaitsProbe(require(lease));
            case "recovering" -> new Refusal.StoreRecovering(key, at, row.requireInstant("until"));
            case "reserved" -> new RunRefusal.Reserved(key, run(row), job(row), row.requireInstant("since"), at);
            case "paused" -> new RunRefusal.Paused(key, pause(pause), at);
            case "ahead" -> new RunRefusal.QueuedAhead(key, run(row), job(row), row.number("waiting"));
            case "full" -> new RunRefusal.QueueFull(key, row.number("waiting"), row.number("most"));
            case "tenant" -> new RunRefusal.TenantBusy(key, row.number("waiting"), row.number("most"));
            case "state" -> new RunRefusal.WrongState(key, row.requireText("state"), Set.copyOf(row.texts("allowed")));
            default -> throw new IllegalStateException("unknown refusal " + word);
        };
    }

    static Pause pause(Columns row) throws SQLException {
        return new Pause(
                row.requireText("tenant"),
                row.requireText("pattern"),
                row.requireText("actor"),
                row.requireText("reason"),
                row.requireInstant("since"),
                row.instant("until"));
    }

    private static RunId run(Columns row) throws SQLException {
        return new RunId(row.requireId("run"));
    }

    private static JobName job(Columns row) throws SQLException {
        return new JobName(row.requireText("job"));
    }

    private static <T> T require(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a refusal without what it is about");
        }
        return value;
    }
}

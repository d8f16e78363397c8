package io.interlock.engine.audit;

import io.interlock.DurationText;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.log.AsideLog;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.spi.run.RunQueries;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Tells of runs and attempts that a rule of the store ended, because a worker died, a limit was over, the lease was taken by force or another
 * run took the place, and that no worker reports. An attempt is also logged, at WARN, with how long it had its key and how long it might. What cannot be looked up now is told later.
 *
 * <p>Safe for use by many threads.
 */
public final class EndingsByRule implements Consumer<List<AuditRecord>> {

    @FunctionalInterface
    public interface Listener {

        /**
         * A rule of the store ended an attempt, or a run.
         *
         * @param attempt the attempt that ended, or {@code null} if the run ended without one
         */
        void ended(Run run, AuditRecord record, @Nullable Attempt attempt);
    }

    private static final Logger log = LoggerFactory.getLogger(EndingsByRule.class);

    /** So many are remembered while the store is away; beyond that the oldest are not told. */
    private static final int MOST_WAITING = 10_000;

    private final RunQueries runs;
    private final AsideLog aside;
    private final Listener listener;
    private final Deque<AuditRecord> waiting = new ArrayDeque<>();

    /** Looks runs up in {@code runs}, logs by {@code aside}, because sealing must not wait for a log, and tells {@code listener}. */
    public EndingsByRule(RunQueries runs, AsideLog aside, Listener listener) {
        this.runs = runs;
        this.aside = aside;
        this.listener = listener;
    }

    /** Whether {@code record} may say that a rule, and not a worker, ended a run or an attempt. */
    static boolean isEnding(AuditRecord record) {
        if (!record.action().equals("run")) {
            return false;
        }
        return isByRule(record)
                ? record.before().equals(RunState.RUNNING.name())
                        || RunState.valueOf(record.after()).isTerminal()
                : record.after().equals(RunState.ABORTED.name());
    }

    private static boolean isByRule(AuditRecord record) {
        return record.actor().equals(AuditRecord.RULES);
    }

    /** Whether force or another run ended {@code run}. One that was under way and is replaced says itself that it stopped. */
    private static boolean isTaken(Run run, AuditRecord record) {
        RunError error = run.status().error();
        return error != null
                && (error.code().equals(RunError.EVICTED)
                        || (error.code().equals(RunError.SUPERSEDED)
                                && !record.before().equals(RunState.RUNNING.name())));
    }

    @Override
    public synchronized void accept(List<AuditRecord> endings) {
        endings.forEach(waiting::add);
        while (waiting.size() > MOST_WAITING) {
            waiting.remove();
        }
        try {
            for (AuditRecord next = waiting.peek(); next != null; next = waiting.peek()) {
                tell(next);
                waiting.remove();
            }
        } catch (StoreUnavailableException away) {
            log.debug("{} endings are told of later", waiting.size(), away);
        }
    }

    private void tell(AuditRecord record) {
        RunId id = Objects.requireNonNull(record.run(), "a record of a run names it");
        Optional<Run> run = runs.findRun(id);
        if (!isByRule(record) && run.filter(known -> isTaken(known, record)).isEmpty()) {
            return;
        }
        Attempt attempt = attempt(record, id).orElse(null);
        if (attempt != null || run.isEmpty()) {
            Run known = run.orElse(null);
            aside.write(() -> write(record, known, attempt));
        }
        run.ifPresent(found -> listener.ended(found, record, attempt));
    }

    private Optional<Attempt> attempt(AuditRecord record, RunId run) {
        return record.before().equals(RunState.RUNNING.name())
                ? runs.attempts(run).stream()
                        .filter(attempt -> Objects.equals(attempt.turn().token(), record.token()))
                        .findFirst()
                : Optional.empty();
    }

    private static void write(AuditRecord record, @Nullable Run run, @Nullable Attempt attempt) {
        LoggingEventBuilder line = log.atWarn()
                .addKeyValue("tenant", record.key().tenant())
                .addKeyValue("key", record.key().name())
                .addKeyValue("run", record.run())
                .addKeyValue("token", record.token())
                .addKeyValue("state", record.after())
                .addKeyValue("why", record.reason());
        if (attempt != null) {
            line = line.addKeyValue(
                    "held", DurationText.format(Duration.between(attempt.turn().startedAt(), attempt.endedAt())));
        }
        if (run != null) {
            RunLimits limits = run.spec().limits();
            line = line.addKeyValue("job", run.job())
                    .addKeyValue("lease", DurationText.format(run.spec().terms().ttl()))
                    .addKeyValue(
                            "limit",
                            limits.runtimeLimit().map(DurationText::format).orElse("none"));
        }
        line.log("an attempt ended without a word of its worker");
    }
}

package io.interlock.engine.audit;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.Run;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the audit log all the time, from the place it has reached on: a bookmark in the store says how far any process has
 * looked, so a process that starts does not begin at the beginning of the log. What it finds is logged and told; runs that have
 * one key at a time are stopped. Any number of processes may do it. Records that are changed after they were looked at are
 * found by {@link AuditVerifier}, which looks at all of them.
 *
 * <p>{@link #runOnce()} belongs to one thread at a time.
 */
public final class AuditWatch {

    public static final Duration EVERY = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(AuditWatch.class);
    private static final String BOOKMARK = "audit-watch";
    private static final int PAGES = 5;

    /** How far the bookmark stays behind: a process that starts there sees which runs have begun and not ended. */
    static final long BEHIND = (long) PAGES * AuditVerifier.Check.PAGE;

    private static final int LOGGED = 10;

    private final AuditLog audit;
    private final RunNotes notes;
    private final OverlapResponse response;
    private final Consumer<AuditReport> alarm;
    private AuditVerifier.@Nullable Check check;
    private @Nullable AuditReport unanswered;
    /** Where this process last saw the bookmark, or has put it. */
    private long bookmark;

    /**
     * Watches {@code audit}.
     *
     * @param alarm is told of every report with findings, after the response to them
     */
    public AuditWatch(AuditLog audit, RunNotes notes, OverlapResponse response, Consumer<AuditReport> alarm) {
        this.audit = audit;
        this.notes = notes;
        this.response = response;
        this.alarm = alarm;
    }

    /** Looks at some thousand records that it has not looked at yet. */
    public synchronized AuditReport runOnce() {
        if (unanswered != null) {
            answer(unanswered);
        }
        if (check == null) {
            check = new AuditVerifier.Check(audit, AuditVerifier.Outside.NOTHING, notes.bookmark(BOOKMARK));
        }
        check.advance(PAGES);
        AuditReport report = check.report();
        answer(report);
        remember(report.to().position() - BEHIND);
        return report;
    }

    /**
     * One round of the loop. It looks only if no other process has moved the bookmark since the last round: each record is
     * read and hashed once, however many processes share the store. If that process stops, this one takes over at the bookmark;
     * so a process that starts looks in its second round.
     *
     * @return whether there is more to look at now
     */
    synchronized boolean round() {
        long now = notes.bookmark(BOOKMARK);
        if (now > bookmark && unanswered == null) {
            bookmark = now;
            check = null;
            return false;
        }
        // At once while there is more: a log that grows faster than it is looked at would never be seen to its end.
        return runOnce().records() >= BEHIND;
    }

    private void remember(long position) {
        if (position <= bookmark) {
            return;
        }
        long kept = notes.bookmark(BOOKMARK);
        if (position > kept) {
            // If another process has moved it meanwhile, it stands far enough.
            notes.moveBookmark(BOOKMARK, kept, position);
        }
        bookmark = position;
    }

    // A store that is away now must not make a finding unheard of: it is answered in a later round.
    private void answer(AuditReport report) {
        unanswered = report;
        if (!report.isClean()) {
            report.overlaps().forEach(response::respond);
            report.findings().stream().limit(LOGGED).forEach(finding -> log.error("audit log: {}", finding.sentence()));
            log.error("audit log: {}; verify it as a whole, and ask who can write to the store", report.sentence());
            alarm.accept(report);
        }
        unanswered = null;
    }

    /** Looks again and again, until it is closed. */
    public AutoCloseable start(Environment environment) {
        return Loop.start(environment, "audit-watch", EVERY, this::round);
    }

    /**
     * Stops runs that have one key at a time. Which of them is right cannot be told, so none is: the store ends them as FAILED
     * with {@code OVERLAPPING_GRANTS} and keeps the key closed until both must have stopped.
     *
     * <p>It acts only if the store itself shows both as running. Records alone may mislead: one may have been forgotten because of
     * its age, or deleted by hand, and then a run that has ended looks as if it went on. A run that is left alone keeps its key.
     */
    public record OverlapResponse(RunSteps steps, RunQueries runs) {

        private static final String ACTOR = "interlock";

        /**
         * Stops both runs of an overlap, if both still run.
         *
         * @return the runs that were stopped, as they stand now; empty if the overlap is over, or never was
         */
        public List<Run> respond(AuditFinding.Overlap overlap) {
            List<RunId> running = Stream.of(overlap.first(), overlap.second())
                    .filter(this::stillRuns)
                    .map(Grant::run)
                    .toList();
            if (running.size() < 2) {
                return List.of();
            }
            // The first step on the key settles the overlap; for a run that it has ended, cancelling changes nothing.
            running.forEach(run -> steps.cancel(
                    new CancelRequest(run, ACTOR, "had " + overlap.key() + " at the same time as another")));
            List<Run> stopped = running.stream()
                    .map(runs::findRun)
                    .flatMap(Optional::stream)
                    .toList();
            stopped.forEach(run -> log.error(
                    "two runs had {} at a time: {} is {} now; {}",
                    overlap.key(),
                    run.id(),
                    run.state(),
                    overlap.sentence()));
            return stopped;
        }

        /** Whether the very attempt goes on; a later one of the same run has a grant of its own. */
        private boolean stillRuns(Grant grant) {
            return runs.findRun(grant.run())
                    .filter(run -> run.state() == RunState.RUNNING)
                    .flatMap(run -> run.status().lastTurn())
                    .map(turn -> turn.token().equals(grant.token()))
                    .orElse(false);
        }
    }
}

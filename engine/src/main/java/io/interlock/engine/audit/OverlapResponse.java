package io.interlock.engine.audit;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.run.Run;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.RunStore;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops runs that have one key at a time. Which of them is right cannot be told, so none is: the store ends them as FAILED
 * with {@code OVERLAPPING_GRANTS} and keeps the key closed until both must have stopped.
 *
 * <p>It acts only if the store itself shows both as running. Records alone may mislead: one may have been forgotten because of
 * its age, or deleted by hand, and then a run that has ended looks as if it went on. A run that is left alone keeps its key.
 */
public final class OverlapResponse {

    private static final Logger log = LoggerFactory.getLogger(OverlapResponse.class);
    private static final String ACTOR = "interlock";

    private final RunStore store;

    /** Stops runs of {@code store}. */
    public OverlapResponse(RunStore store) {
        this.store = store;
    }

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
        running.forEach(run ->
                store.cancel(new CancelRequest(run, ACTOR, "had " + overlap.key() + " at the same time as another")));
        List<Run> stopped =
                running.stream().map(store::findRun).flatMap(Optional::stream).toList();
        stopped.forEach(run -> log.error(
                "two runs had {} at a time: {} stands at {} now; {}",
                overlap.key(),
                run.id(),
                run.state(),
                overlap.sentence()));
        return stopped;
    }

    /** Whether the very attempt goes on; a later one of the same run has a grant of its own. */
    private boolean stillRuns(Grant grant) {
        return store.findRun(grant.run())
                .filter(run -> run.state() == RunState.RUNNING)
                .flatMap(run -> run.status().lastTurn())
                .map(turn -> turn.token().equals(grant.token()))
                .orElse(false);
    }
}

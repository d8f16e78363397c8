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
 * Stops runs that have one key at a time. Nobody can tell which of them is right, so none is: if both still run, the store
 * ends them as FAILED with {@code OVERLAPPING_GRANTS} and keeps the key closed until both must have stopped. If one has ended
 * meanwhile, the other is asked to stop.
 *
 * <p>It believes the store and not the records about what still runs: a log that somebody changed stops nobody's work.
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
     * Stops what still runs of an overlap.
     *
     * @return the runs that were stopped or asked to, as they stand now; empty if the overlap is over
     */
    public List<Run> respond(AuditFinding.Overlap overlap) {
        List<RunId> running = Stream.of(overlap.first(), overlap.second())
                .filter(this::stillRuns)
                .map(Grant::run)
                .toList();
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

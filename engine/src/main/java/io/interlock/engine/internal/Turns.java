package io.interlock.engine.internal;

import io.interlock.LeaseId;
import io.interlock.engine.CallerTurn;
import io.interlock.engine.Job;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.SubmitRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The callers of this process that wait for their turn. */
final class Turns {

    private final House house;
    private final Set<TurnWait> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Turns(House house) {
        this.house = house;
    }

    /** A place in line for the next attempt of {@code run}. */
    CallerTurn turn(Run run) {
        LeaseId lease = LeaseId.random(house.settings().environment().random());
        return turn(run, new SubmitRequest.Caller(lease, house.settings().holder()));
    }

    /** The place in line of {@code run}. */
    CallerTurn turn(Run run, SubmitRequest.Caller caller) {
        TurnWait wait = new TurnWait(house, run, caller);
        waiting.add(wait);
        if (closed) {
            // It came after the others were sent away, and nobody would do that for it.
            wait.sendAway();
        }
        return wait;
    }

    void forget(TurnWait wait) {
        waiting.remove(wait);
    }

    /** Sends everybody away. */
    void close() {
        closed = true;
        List.copyOf(waiting).forEach(TurnWait::sendAway);
    }

    /** What is known of {@code job}, which need not be defined for callers. */
    Job job(JobName job) {
        return house.settings()
                .jobs()
                .find(job)
                .orElseGet(() -> Job.named(job.value()).build());
    }
}

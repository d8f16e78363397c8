package io.interlock.engine.internal.sweep;

import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Settles runs on keys nobody touches: attempts whose lease ran out, runs that count as running and have no lease, waits and
 * rests that are over, offers nobody took.
 */
public final class RunSweep implements Sweep {

    private static final int PAGE = 100;
    private static final int MAX_PAGES = 20;

    private final RunStore store;

    public RunSweep(RunStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return "runs";
    }

    @Override
    public List<SweepAction> runOnce() {
        List<SweepAction> all = new ArrayList<>();
        for (int page = 0; page < MAX_PAGES; page++) {
            List<SweepAction> done = store.sweepRuns(PAGE);
            all.addAll(done);
            if (done.stream().map(SweepAction::key).distinct().count() < PAGE) {
                break;
            }
        }
        return all;
    }
}

package io.interlock.engine.internal;

import io.interlock.LockKey;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunHistory;
import java.util.List;

/** Forgets history that is older than it is kept. */
final class HistorySweep implements Sweep {

    private static final int PAGE = 500;
    private static final LockKey EVERYWHERE = LockKey.of("interlock", "history");

    private final RunHistory history;
    private final Retention retention;

    HistorySweep(RunHistory history, Retention retention) {
        this.history = history;
        this.retention = retention;
    }

    @Override
    public String name() {
        return "history";
    }

    @Override
    public List<SweepAction> runOnce() {
        RunHistory.Forgotten forgotten = history.forget(retention, PAGE);
        if (forgotten.runs() + forgotten.auditRecords() == 0) {
            return List.of();
        }
        String why =
                forgotten.runs() + " runs and " + forgotten.auditRecords() + " audit records were kept long enough";
        return List.of(new SweepAction(EVERYWHERE, null, null, why));
    }
}

package io.interlock.engine.internal.sweep;

import io.interlock.LockKey;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunHistory;
import java.util.List;

/** Forgets history that is older than it is kept: so much in a round that no store can grow faster for long. */
public final class HistorySweep implements Sweep {

    private static final int PAGE = 500;
    private static final int MAX_PAGES = 20;
    private static final LockKey EVERYWHERE = LockKey.of("interlock", "history");

    private final RunHistory history;
    private final Retention retention;

    public HistorySweep(RunHistory history, Retention retention) {
        this.history = history;
        this.retention = retention;
    }

    @Override
    public String name() {
        return "history";
    }

    @Override
    public List<SweepAction> runOnce() {
        int runs = 0;
        int records = 0;
        for (int page = 0; page < MAX_PAGES; page++) {
            RunHistory.Forgotten forgotten = history.forget(retention, PAGE);
            runs += forgotten.runs();
            records += forgotten.auditRecords();
            if (Math.max(forgotten.runs(), forgotten.auditRecords()) < PAGE) {
                break;
            }
        }
        if (runs + records == 0) {
            return List.of();
        }
        String why = runs + " runs and " + records + " audit records were kept long enough";
        return List.of(new SweepAction(EVERYWHERE, null, null, why));
    }
}

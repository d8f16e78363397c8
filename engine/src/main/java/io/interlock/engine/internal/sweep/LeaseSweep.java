package io.interlock.engine.internal.sweep;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.run.SweepAction;
import io.interlock.spi.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Clears leases without a run that ended by themselves. */
public final class LeaseSweep implements Sweep {

    private static final int PAGE = 100;
    private static final int MAX_PAGES = 20;

    private final LeaseStore store;

    public LeaseSweep(LeaseStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return "leases";
    }

    @Override
    public List<SweepAction> runOnce() {
        List<SweepAction> all = new ArrayList<>();
        for (int page = 0; page < MAX_PAGES; page++) {
            List<LeaseRecord> cleared = store.sweep(PAGE);
            cleared.forEach(lease -> all.add(action(lease)));
            if (cleared.size() < PAGE) {
                break;
            }
        }
        return all;
    }

    private static SweepAction action(LeaseRecord lease) {
        String why = lease.holder().label() + " had it with token " + lease.token() + " for "
                + DurationText.format(Duration.between(lease.grantedAt(), lease.expiresAt()))
                + ", never gave it back, and it ended "
                + DurationText.format(Duration.between(lease.expiresAt(), lease.observedAt())) + " ago";
        return new SweepAction(lease.key(), lease.holder().run(), null, why);
    }
}

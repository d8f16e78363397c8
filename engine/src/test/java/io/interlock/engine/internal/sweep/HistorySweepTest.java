package io.interlock.engine.internal.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.StoreUnavailableException;
import io.interlock.engine.internal.sweep.SweepingJanitor.Sweep;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.Upkeep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How much old history is forgotten at a time. */
class HistorySweepTest {

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger records = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private int failingCall = Integer.MAX_VALUE;
    private final Sweep sweep = Sweep.history(
            new Upkeep() {
                @Override
                public List<SweepAction> sweepRuns(int limit) {
                    return List.of();
                }

                @Override
                public Forgotten forget(Retention retention, int limit) {
                    if (calls.incrementAndGet() == failingCall) {
                        throw new StoreUnavailableException("test", "is away");
                    }
                    return new Forgotten(taken(runs, limit), taken(records, limit));
                }
            },
            Retention.DEFAULT);

    @Test
    void aRoundGoesOnAsLongAsThereIsMore() {
        runs.set(700);
        records.set(1700);
        assertThat(round())
                .singleElement()
                .extracting(action -> action.why())
                .isEqualTo("700 runs and 1700 audit records were kept long enough");
        assertThat(calls).hasValue(4);
    }

    @Test
    void aRoundComesToAnEnd() {
        runs.set(1_000_000);
        round();
        assertThat(runs).hasPositiveValue();
        assertThat(calls.get()).isLessThan(100);
        int before = runs.get();
        round();
        assertThat(runs).hasValueLessThan(before);
    }

    @Test
    void whatWasForgottenBeforeTheStoreFailedIsToldOf() {
        runs.set(700);
        failingCall = 2;
        List<SweepAction> done = new ArrayList<>();
        assertThatThrownBy(() -> sweep.round().accept(done)).isInstanceOf(StoreUnavailableException.class);
        assertThat(done)
                .singleElement()
                .extracting(action -> action.why())
                .isEqualTo("500 runs and 0 audit records were kept long enough");
    }

    @Test
    void nothingToForgetIsNoNews() {
        assertThat(round()).isEmpty();
        assertThat(calls).hasValue(1);
    }

    private List<SweepAction> round() {
        List<SweepAction> done = new ArrayList<>();
        sweep.round().accept(done);
        return done;
    }

    private static int taken(AtomicInteger left, int limit) {
        int taken = Math.min(limit, left.get());
        left.addAndGet(-taken);
        return taken;
    }
}

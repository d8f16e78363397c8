package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.LeaseOptions.TakeoverProbe.Finding;
import io.interlock.locks.Locks;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Take-over probes, through the lock library. */
interface TakeoverContract extends Contract {

    @Test
    @Tag("locks")
    default void aKeyIsTakenOverOnlyWhenTheProbeSaysThatTheWorkIsOver() {
        AtomicReference<Finding> outside = new AtomicReference<>(new Finding.StillRunning("job 17 is at 80 %"));
        List<LeaseRecord> looked = new CopyOnWriteArrayList<>();
        LeaseOptions asking = HoldingContract.EAGER.takeoverProbe(expired -> {
            looked.add(expired);
            return Objects.requireNonNull(outside.get());
        });
        Lease first = vanished(asking);
        Locks locks = bench().locks();
        Refusal refusal = refusal(locks, asking);
        assertThat(refusal).isInstanceOf(Refusal.StillRunning.class);
        assertThat(refusal.explanation()).contains("job 17 is at 80 %");
        assertThat(looked).extracting(LeaseRecord::token).containsExactly(first.token());
        assertThat(client().store().sweep(100)).as("swept").isEmpty();

        outside.set(new Finding.Over());
        Lease next = locks.tryAcquire(key("outside"), asking).orElseThrow();
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(looked).hasSize(2);
        next.release();
        locks.tryAcquire(key("outside"), asking).orElseThrow().release();
        assertThat(looked).as("a released key needs no probe").hasSize(2);
    }

    @Test
    @Tag("locks")
    default void aProbeThatFailsKeepsTheKeyClosed() {
        LeaseOptions asking = HoldingContract.EAGER.takeoverProbe(expired -> {
            throw new IllegalStateException("the warehouse does not answer");
        });
        Lease first = vanished(asking);
        Refusal refusal = refusal(bench().locks(), asking);
        assertThat(refusal).isInstanceOf(Refusal.StillRunning.class);
        assertThat(refusal.explanation()).contains("the warehouse does not answer");
        assertThat(client().find(key("outside")).orElseThrow().token()).isEqualTo(first.token());
    }

    /** A lease whose holder vanished. */
    private Lease vanished(LeaseOptions asking) {
        Locks locks = bench().locks();
        Lease lease = locks.tryAcquire(key("outside"), asking).orElseThrow();
        locks.close();
        bench().advancePast(asking.terms().ttl());
        return lease;
    }

    private Refusal refusal(Locks locks, LeaseOptions asking) {
        return ((Acquisition.Refused) locks.tryAcquire(key("outside"), asking)).refusal();
    }
}

package io.interlock.engine.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.FaultyStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a lease that a release finds gone. */
class ReleaseStepTest {

    private final FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
    private final ReleaseStep step = new ReleaseStep(faults.store());

    @Test
    void aReleaseOfABatchWhoseAnswerWasLostIsUnclearAndNotGone() {
        ReleaseRequest one = held("one");
        ReleaseRequest other = held("other");
        faults.loseAnswers("release");
        assertThatThrownBy(() -> step.release(List.of(one, other))).isInstanceOf(StoreUnavailableException.class);
        faults.up();
        for (ReleaseRequest request : List.of(one, other)) {
            assertThatThrownBy(() -> step.release(List.of(request))).isInstanceOf(StoreUnavailableException.class);
            assertThat(step.release(List.of(request)).only())
                    .as("to a caller that asks once more")
                    .isInstanceOf(ReleaseAnswer.Gone.class);
        }
    }

    @Test
    void aReleaseOfABatchThatTookNoEffectIsMadeWhenItIsRepeated() {
        ReleaseRequest one = held("one");
        ReleaseRequest other = held("other");
        faults.down("release");
        assertThatThrownBy(() -> step.release(List.of(one, other))).isInstanceOf(StoreUnavailableException.class);
        faults.up();
        for (ReleaseRequest request : List.of(one, other)) {
            assertThat(step.release(List.of(request)).only()).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    @Test
    void aLeaseThatWasGoneBeforeIsGone() {
        ReleaseRequest one = held("one");
        faults.store().release(List.of(one));
        assertThat(step.release(List.of(one)).only()).isInstanceOf(ReleaseAnswer.Gone.class);
    }

    private ReleaseRequest held(String name) {
        LockKey key = LockKey.of(name);
        LeaseId id = LeaseId.random(Environment.system().random());
        AcquireRequest request = AcquireRequest.of(key, id, new Holder("test", "test"), Duration.ofMinutes(1));
        AcquireAnswer.Granted granted = (AcquireAnswer.Granted)
                faults.store().tryAcquire(List.of(request)).only();
        return new ReleaseRequest(key, id, granted.grants().get(0).lease().token());
    }
}

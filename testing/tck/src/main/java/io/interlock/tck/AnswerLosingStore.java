package io.interlock.tck;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that loses its next answers: the step takes effect, but the caller gets no answer. */
public final class AnswerLosingStore extends ForwardingStore {

    private final AtomicInteger toLose = new AtomicInteger();

    /** Loses answers of {@code store}. */
    public AnswerLosingStore(LeaseStore store) {
        super(store);
    }

    /** Loses the answers to the next {@code count} calls of acquire, renew or release. */
    public void loseNext(int count) {
        toLose.set(count);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        return deliver(super.tryAcquire(requests));
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        return deliver(super.renew(requests));
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return deliver(super.release(requests));
    }

    private <A> A deliver(A answer) {
        if (toLose.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
            throw new StoreUnavailableException(capabilities().store(), "executed the step, but the answer was lost");
        }
        return answer;
    }
}

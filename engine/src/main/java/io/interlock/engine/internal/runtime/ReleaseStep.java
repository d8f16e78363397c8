package io.interlock.engine.internal.runtime;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Releases for a coalescer, which repeats the requests of a failed batch alone. The batch may have taken effect: then gone is no fact about
 * the past but the work of the first try, and the answer is unclear. Safe for use by many threads.
 */
final class ReleaseStep {

    private final LeaseStore store;
    private final Set<ReleaseRequest> unclear = ConcurrentHashMap.newKeySet();

    ReleaseStep(LeaseStore store) {
        this.store = store;
    }

    Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        boolean repeated = requests.size() == 1 && unclear.remove(requests.get(0));
        Answers<ReleaseAnswer> answers;
        try {
            answers = store.release(requests);
        } catch (Throwable failure) {
            if (requests.size() > 1) {
                unclear.addAll(requests);
            }
            throw failure;
        }
        if (repeated && !answers.isOpen(0) && answers.get(0) instanceof ReleaseAnswer.Gone) {
            throw new StoreUnavailableException(
                    store.capabilities().store(), "had been told of this release before, and its answer was lost");
        }
        return answers;
    }
}

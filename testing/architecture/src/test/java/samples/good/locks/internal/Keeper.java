package samples.good.locks.internal;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import samples.good.spi.Contract;

/** Public for its own module only. */
public final class Keeper {
    private final Contract contract;

    /** A keeper on a store. */
    public Keeper(Contract contract) {
        this.contract = contract;
    }

    /** One step; now(Clock) and a pool with its own threads are fine. */
    public String keep(String key) {
        return contract.step(key);
    }

    /** A thread pool whose threads are given to it. */
    public ExecutorService pool(ThreadFactory threads) {
        return Executors.newSingleThreadExecutor(threads);
    }

    /** The time of a clock that is given to it. */
    public Instant time(Clock clock) {
        return Instant.now(clock);
    }
}

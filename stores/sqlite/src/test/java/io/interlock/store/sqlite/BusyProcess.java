package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A process whose threads take and release keys of their own as fast as they can, until it is killed. */
final class BusyProcess {

    private static final int THREADS = 16;

    private BusyProcess() {}

    /** Writes to the store {@code args[0]}; prints a line once it has begun. */
    public static void main(String[] args) {
        LeaseStore store = Stores.open(args[0]);
        Caller caller = new Caller(store);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (int i = 0; i < THREADS; i++) {
            LockKey key = LockKey.of("busy/" + i);
            caller.release(caller.take(key));
            threads.execute(() -> {
                while (true) {
                    caller.release(caller.take(key));
                }
            });
        }
        System.out.println("busy");
    }
}

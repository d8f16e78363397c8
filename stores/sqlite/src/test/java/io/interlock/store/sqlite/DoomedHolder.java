package io.interlock.store.sqlite;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import java.io.PrintStream;

/** A process that takes leases and tells each one it got, until it is killed. */
final class DoomedHolder {

    private DoomedHolder() {}

    /** Takes keys of the store {@code args[0]}. */
    public static void main(String[] args) {
        PrintStream out = System.out;
        try (LeaseStore store = Stores.open(args[0])) {
            Caller caller = new Caller(store);
            for (int i = 0; ; i++) {
                LeaseRecord lease = caller.take(LockKey.of("doomed/" + i));
                out.println("granted " + lease.key().name() + " " + lease.token());
                out.flush();
            }
        }
    }
}

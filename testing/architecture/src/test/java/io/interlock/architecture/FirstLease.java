package io.interlock.architecture;

import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import java.time.Duration;

/** Holds a key of a SQLite file. */
public class FirstLease {

    /** Prints the token. */
    public static void main(String[] arguments) throws InterruptedException {
        try (Locks locks = Locks.open("sqlite:target/ledger.db");
                Lease lease = locks.acquire(LockKey.of("ledger/4711"), Duration.ofSeconds(10))
                        .orElseThrow()) {
            System.out.println("my token is " + lease.token());
        }
    }
}

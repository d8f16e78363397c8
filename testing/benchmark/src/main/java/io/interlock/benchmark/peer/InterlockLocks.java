package io.interlock.benchmark.peer;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Interlock's lock library, on the store that a URL names. */
public final class InterlockLocks implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "Interlock";

    // Renewed every hundred seconds, so that renewals do not show up in what refusals cost.
    private static final LeaseOptions LONG = LeaseOptions.defaults().ttl(Duration.ofMinutes(5));

    private final String url;
    private final Locks locks;
    private @Nullable Locks other;
    private final List<Lease> held = new ArrayList<>();

    private InterlockLocks(String url) {
        this.url = url;
        this.locks = Locks.open(url);
    }

    /** Opens it. */
    public static InterlockLocks open(String url) {
        return new InterlockLocks(url);
    }

    @Override
    public Held take(String key) {
        Lease lease = locks.tryAcquire(LockKey.of(key)).orElseThrow();
        return lease::release;
    }

    @Override
    public boolean isRefused(String key) {
        return locks.tryAcquire(LockKey.of(key)) instanceof Acquisition.Refused;
    }

    @Override
    public void holdElsewhere(Collection<String> keys) {
        Locks elsewhere = Locks.open(url);
        other = elsewhere;
        keys.forEach(key -> held.add(elsewhere.tryAcquire(LockKey.of(key), LONG).orElseThrow()));
    }

    @Override
    public void close() {
        held.forEach(Lease::close);
        if (other != null) {
            other.close();
        }
        locks.close();
    }
}

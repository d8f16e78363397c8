package io.interlock.benchmark;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import java.util.ArrayList;
import java.util.List;

/** Interlock, on whichever store the URL names. */
final class InterlockPeer implements Peer {

    private final String name;
    private final Locks locks;
    private final Locks other;
    private final List<Lease> held = new ArrayList<>();

    InterlockPeer(String name, String url, String otherUrl) {
        this.name = name;
        locks = Locks.open(url);
        other = otherUrl.equals(url) && url.startsWith("memory:") ? locks : Locks.open(otherUrl);
        for (int thread = 0; thread < Measurement.MAX_THREADS; thread++) {
            held.add(other.tryAcquire(LockKey.of("held/" + thread)).orElseThrow());
        }
    }

    @Override
    public String name() {
        return name;
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
    public void close() {
        held.forEach(Lease::close);
        if (other != locks) {
            other.close();
        }
        locks.close();
    }
}

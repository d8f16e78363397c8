package io.interlock.cli.remote;

import io.interlock.LeaseId;
import io.interlock.run.Claimed;
import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a worker of a server has in hand, by lease: of a run that was lost and came back, the old attempt may end while the new one
 * goes on. What nobody could tell the end of is forgotten once its lease must be over. Safe for use by many threads.
 */
final class HeldWork {

    // By the server's clock a lease that was not renewed ends after one of its times; the second is for clocks that
    // differ.
    private static final int TIMES = 2;

    private final Map<LeaseId, Entry> entries = new ConcurrentHashMap<>();
    private final Ticker ticker;

    HeldWork(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Another one, whose lease was confirmed just now. */
    void take(Claimed claimed) {
        entries.values().removeIf(this::isOver);
        entries.put(claimed.lease().id(), new Entry(claimed, "", ticker.nanos()));
    }

    Optional<Claimed> find(LeaseId lease) {
        return Optional.ofNullable(entries.get(lease)).map(Entry::claimed);
    }

    /** The lease was renewed. */
    void confirm(LeaseId lease) {
        entries.computeIfPresent(lease, (id, entry) -> new Entry(entry.claimed, entry.output, ticker.nanos()));
    }

    /** Keeps what the work has to say; whether it is still in hand. */
    boolean say(LeaseId lease, String output) {
        return entries.computeIfPresent(lease, (id, entry) -> new Entry(entry.claimed, output, entry.confirmed))
                != null;
    }

    /** What the work had to say at last. */
    String output(LeaseId lease) {
        Entry entry = entries.get(lease);
        return entry == null ? "" : entry.output;
    }

    void forget(LeaseId lease) {
        entries.remove(lease);
    }

    private boolean isOver(Entry entry) {
        Duration ttl = entry.claimed.run().spec().terms().ttl();
        return ticker.nanos() - entry.confirmed > ttl.multipliedBy(TIMES).toNanos();
    }

    private record Entry(Claimed claimed, String output, long confirmed) {}
}

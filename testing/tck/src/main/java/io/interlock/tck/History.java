package io.interlock.tck;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** What all clients of one store did, for {@link StoreAudit}. Safe for use by many threads. */
public final class History {

    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicLong sequence = new AtomicLong();
    private volatile Duration shift = Duration.ZERO;

    /** The events so far, in no order; see {@link Event#span()}. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** Says that a call begins, and returns its number. */
    public long begin() {
        return sequence.incrementAndGet();
    }

    /** Adds what came of the call that began with {@code begun}. */
    public void add(long begun, Function<Event.Span, Event> event) {
        events.add(event.apply(new Event.Span(begun, sequence.incrementAndGet(), shift)));
    }

    /** Says that from now on all leases end earlier by {@code time}, while the store's clock was not moved. */
    public void shift(Duration time) {
        shift = shift.plus(time);
    }
}

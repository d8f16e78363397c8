package io.interlock.tck;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The calls of all clients of one store, for {@link StoreAudit}. Thread-safe. */
public final class History {

    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicLong sequence = new AtomicLong();
    private volatile Duration shift = Duration.ZERO;

    /** The events so far, in no order; see {@link Event#span()}. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** Records that a call begins, and returns its number. */
    public long begin() {
        return sequence.incrementAndGet();
    }

    /** Adds the outcome of the call {@code begun}. */
    public void add(long begun, Function<Event.Span, Event> event) {
        events.add(event.apply(new Event.Span(begun, sequence.incrementAndGet(), shift)));
    }

    /** Records that from now on all leases end earlier by {@code time}, while the store's clock was not moved. */
    public void shift(Duration time) {
        shift = shift.plus(time);
    }
}

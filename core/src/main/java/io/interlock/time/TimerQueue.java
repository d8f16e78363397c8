package io.interlock.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Things to do at their time, any number of them with a single timer. What is due is done together, in one call.
 *
 * <p>An entry struck off never comes back: {@link #set} on it does nothing. Safe for use by many threads.
 *
 * @param <T> what is to be looked after
 */
public final class TimerQueue<T> {

    /**
     * One thing on the agenda.
     *
     * @param <T> what is to be looked after
     */
    public static final class Entry<T> {
        private final T item;
        private final long slack;
        private final long number;
        private long due;
        private boolean struck;

        private Entry(T item, long slack, long number) {
            this.item = item;
            this.slack = slack;
            this.number = number;
        }
    }

    private final Timers timers;
    private final Ticker ticker;
    private final Consumer<List<T>> work;
    private final TreeSet<Entry<T>> waiting = new TreeSet<>(TimerQueue::byTime);
    private long numbers;
    private long armedFor;
    private long armings;
    private Timers.@Nullable Scheduled armed;

    /** An agenda with nothing on it; {@code work} does what is due, on the thread of {@code timers}. */
    public TimerQueue(Timers timers, Ticker ticker, Consumer<List<T>> work) {
        this.timers = timers;
        this.ticker = ticker;
        this.work = work;
    }

    /** An entry for {@code item}, without a time yet; it may be done up to {@code slack} early, together with others. */
    public synchronized Entry<T> entry(T item, Duration slack) {
        return new Entry<>(item, slack.toNanos(), numbers++);
    }

    /** Puts {@code entry} at {@code due}, by the ticker, wherever it was before. */
    public synchronized void set(Entry<T> entry, long due) {
        if (entry.struck) {
            return;
        }
        waiting.remove(entry);
        entry.due = due;
        waiting.add(entry);
        arm();
    }

    /** Puts {@code entry} at {@code due}, by the ticker, unless it is due before that anyway. */
    public synchronized void advance(Entry<T> entry, long due) {
        if (!waiting.contains(entry) || entry.due - due > 0) {
            set(entry, due);
        }
    }

    /** Takes {@code entry} off for good. */
    public synchronized void strike(Entry<T> entry) {
        entry.struck = true;
        // The timer stays: it will find nothing to do, and most entries are struck long before their time.
        waiting.remove(entry);
    }

    /** Whether nothing is on it. */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Does everything now, whenever it is due. */
    public void all() {
        List<T> items;
        synchronized (this) {
            items = waiting.stream().map(entry -> entry.item).toList();
            waiting.clear();
        }
        run(items);
    }

    private void whenDue(long arming) {
        List<T> items = new ArrayList<>();
        synchronized (this) {
            // One that was cancelled too late must not forget its successor, or there would be two timers from now on.
            if (arming == armings) {
                armed = null;
            }
            long now = ticker.nanos();
            for (Iterator<Entry<T>> each = waiting.iterator(); each.hasNext(); ) {
                Entry<T> entry = each.next();
                if (entry.due - entry.slack - now > 0) {
                    break;
                }
                each.remove();
                items.add(entry.item);
            }
            arm();
        }
        run(items);
    }

    private void run(List<T> items) {
        if (!items.isEmpty()) {
            work.accept(items);
        }
    }

    private void arm() {
        if (waiting.isEmpty()) {
            return;
        }
        long first = waiting.first().due;
        if (armed != null) {
            if (armedFor - first <= 0) {
                return;
            }
            armed.cancel();
        }
        armedFor = first;
        long arming = ++armings;
        armed = timers.after(Duration.ofNanos(first - ticker.nanos()), () -> whenDue(arming));
    }

    private static int byTime(Entry<?> a, Entry<?> b) {
        int byDue = Long.signum(a.due - b.due);
        return byDue != 0 ? byDue : Long.compare(a.number, b.number);
    }
}

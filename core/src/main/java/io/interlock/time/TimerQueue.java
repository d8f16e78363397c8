package io.interlock.time;

import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Any number of timed entries with a single timer. All due entries are processed together, in one call.
 *
 * <p>A removed entry never comes back: {@link #set} on it does nothing. Thread-safe.
 */
public final class TimerQueue<T> {

    /** One entry. */
    public static final class Entry<T> {
        private final T item;
        private final long slack;
        private final long number;
        private long due;
        private long early;
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

    /** An empty queue; {@code work} processes due entries, on the thread of {@code timers}. */
    public TimerQueue(Timers timers, Ticker ticker, Consumer<List<T>> work) {
        this.timers = timers;
        this.ticker = ticker;
        this.work = work;
    }

    /**
     * An entry for {@code item}, without a time yet; it may be processed up to {@code slack} early, together with
     * others, but no earlier than in the last quarter of the time until it is due.
     */
    public synchronized Entry<T> entry(T item, Duration slack) {
        return new Entry<>(item, slack.toNanos(), numbers++);
    }

    /** Sets the time of {@code entry} to {@code due}, by the ticker. */
    public synchronized void set(Entry<T> entry, long due) {
        if (entry.struck) {
            return;
        }
        waiting.remove(entry);
        entry.due = due;
        entry.early = Math.max(0, Math.min(entry.slack, (due - ticker.nanos()) / 4));
        waiting.add(entry);
        arm();
    }

    /** Sets the time of {@code entry} to {@code due}, by the ticker, unless it is due earlier. */
    public synchronized void advance(Entry<T> entry, long due) {
        if (!waiting.contains(entry) || entry.due - due > 0) {
            set(entry, due);
        }
    }

    /** Removes {@code entry} permanently. */
    public synchronized void strike(Entry<T> entry) {
        entry.struck = true;
        // The timer stays and will find nothing to do: most entries are removed long before their time.
        waiting.remove(entry);
    }

    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Processes all entries now. */
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
            // A timer that was cancelled too late must not clear its successor, otherwise there would be two timers.
            if (arming == armings) {
                armed = null;
            }
            long now = ticker.nanos();
            for (Iterator<Entry<T>> each = waiting.iterator(); each.hasNext(); ) {
                Entry<T> entry = each.next();
                if (entry.due - entry.early - now > 0) {
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

    /**
     * Detects that the machine has slept, while a {@link TimerQueue} has entries. Timers use the ticker, which may stand
     * still during a sleep, so that every deadline would be late: after a sleep all entries are processed at once. It
     * never blocks. Thread-safe.
     */
    public static final class SleepWatch {

        private static final Duration LOOK_EVERY = Duration.ofMillis(500);
        private static final long SLEPT = Duration.ofMillis(200).toNanos();

        private final Timers timers;
        private final LocalTime time;
        private final TimerQueue<?> timerQueue;
        private final Runnable onWaking;
        private Moment awake;
        private boolean looking;

        /**
         * A watch that is not started yet.
         *
         * @param onWaking called after the entries were processed; it must not block
         */
        public SleepWatch(Timers timers, LocalTime time, TimerQueue<?> timerQueue, Runnable onWaking) {
            this.timers = timers;
            this.time = time;
            this.timerQueue = timerQueue;
            this.onWaking = onWaking;
            this.awake = time.now();
        }

        /** The queue has an entry. */
        public synchronized void begin() {
            if (!looking) {
                looking = true;
                timers.after(LOOK_EVERY, this::look);
            }
        }

        private void look() {
            boolean slept;
            synchronized (this) {
                slept = time.driftSince(awake) > SLEPT;
                looking = !timerQueue.isEmpty();
                if (slept || !looking || time.driftSince(awake) < 0) {
                    awake = time.now();
                }
                if (looking) {
                    timers.after(LOOK_EVERY, this::look);
                }
            }
            if (slept) {
                timerQueue.all();
                onWaking.run();
            }
        }
    }
}

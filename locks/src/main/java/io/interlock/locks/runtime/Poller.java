package io.interlock.locks.runtime;

import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks when a wake-up comes and from time to time anyway, one look at a time, until it ends. A wake-up during a look makes it look
 * again, so none is lost in between. Takes no thread while it waits. Safe for use by many threads.
 */
public final class Poller {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
    private static final double SPREAD = 0.2;

    private final Pace pace;
    private final Runnable look;

    // All below is guarded by this.
    private boolean looking;
    private boolean again;
    private boolean listening;
    private boolean over;
    private Timers.@Nullable Scheduled poll;
    private ChangeFeed.@Nullable Subscription wakeUps;

    /**
     * How often pollers look by themselves.
     *
     * @param timers runs looks, which never block
     * @param every the pause between two looks, give or take a fifth
     */
    public record Pace(Timers timers, LocalTime time, Duration every) {

        /** Runs {@code look} when the next poll is due. */
        public Timers.Scheduled poll(Runnable look) {
            return timers.after(time.jittered(every, SPREAD), look);
        }
    }

    /**
     * A poller that has not begun.
     *
     * @param look looks without blocking, and calls {@link #looked} if there has to be another look
     */
    public Poller(Pace pace, Runnable look) {
        this.pace = pace;
        this.look = look;
    }

    /** Looks, or looks once more after the look under way. */
    public void look() {
        synchronized (this) {
            if (looking) {
                again = true;
                return;
            }
            if (over) {
                return;
            }
            looking = true;
            again = false;
            stopPolling();
        }
        look.run();
    }

    /** The look has brought nothing: the next one comes when the poll is due, or at once if it was asked for meanwhile. */
    public void looked() {
        looked(pace.every());
    }

    /** As {@link #looked()}, with the next look after {@code pause} if that is shorter; at once if it is {@code null}. */
    public void looked(@Nullable Duration pause) {
        boolean more;
        synchronized (this) {
            looking = false;
            more = again || pause == null;
            if (pause != null && !again && !over) {
                poll = pause.compareTo(pace.every()) < 0
                        ? pace.timers().after(pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause, this::look)
                        : pace.poll(this::look);
            }
        }
        if (more) {
            look();
        }
    }

    /** Looks whenever {@code feed} sends a wake-up, and now: this look sees what happened before. Does nothing if it listens already. */
    public void listen(Function<Runnable, ChangeFeed.Subscription> feed) {
        synchronized (this) {
            if (listening || over) {
                return;
            }
            listening = true;
        }
        ChangeFeed.Subscription subscription;
        try {
            subscription = feed.apply(this::look);
        } catch (RuntimeException | Error deaf) {
            synchronized (this) {
                // The caller may try again.
                listening = false;
            }
            throw deaf;
        }
        boolean late;
        synchronized (this) {
            late = over;
            wakeUps = late ? null : subscription;
        }
        if (late) {
            subscription.close();
        } else {
            look();
        }
    }

    /** No look begins any more. May be called twice. */
    public void end() {
        ChangeFeed.Subscription subscription;
        synchronized (this) {
            over = true;
            subscription = wakeUps;
            wakeUps = null;
            stopPolling();
        }
        if (subscription != null) {
            subscription.close();
        }
    }

    private void stopPolling() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }
}

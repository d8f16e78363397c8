package io.interlock.engine.internal.wait;

import io.interlock.spi.ChangeFeed;
import io.interlock.time.Timers;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks when a wake-up comes and from time to time anyway, one look at a time, until it ends. Takes no thread while it waits. Safe for
 * use by many threads.
 */
public final class Poller {

    private final WaitScheduler waits;
    private final Runnable look;

    // All below is guarded by this.
    private boolean looking;
    private boolean again;
    private boolean listening;
    private boolean over;
    private Timers.@Nullable Scheduled poll;
    private ChangeFeed.@Nullable Subscription wakeUps;

    /**
     * A poller that has not begun.
     *
     * @param look looks, and says {@link #looked} if there has to be another look
     */
    public Poller(WaitScheduler waits, Runnable look) {
        this.waits = waits;
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

    /** The look has brought nothing: the next one comes at once if somebody has asked for it meanwhile, else after a while. */
    public void looked() {
        boolean more;
        synchronized (this) {
            looking = false;
            more = again;
            if (!more && !over) {
                poll = waits.poll(this::look);
            }
        }
        if (more) {
            look();
        }
    }

    /** Hears {@code wakeUps} from now on, and looks: what happened before it heard them, that look sees. Once, if it does not throw. */
    public void listen(Function<Runnable, ChangeFeed.Subscription> feed) {
        synchronized (this) {
            if (listening || over) {
                return;
            }
            listening = true;
        }
        ChangeFeed.Subscription heard = heard(feed);
        boolean late;
        synchronized (this) {
            late = over;
            wakeUps = late ? null : heard;
        }
        if (late) {
            heard.close();
        } else {
            look();
        }
    }

    // Whoever could not listen may try again.
    private ChangeFeed.Subscription heard(Function<Runnable, ChangeFeed.Subscription> feed) {
        try {
            return feed.apply(this::look);
        } catch (RuntimeException | Error deaf) {
            synchronized (this) {
                listening = false;
            }
            throw deaf;
        }
    }

    /** No look begins any more. May be called twice. */
    public void end() {
        ChangeFeed.Subscription heard;
        synchronized (this) {
            over = true;
            heard = wakeUps;
            wakeUps = null;
            stopPolling();
        }
        if (heard != null) {
            heard.close();
        }
    }

    private synchronized void stopPolling() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }
}

package io.interlock.engine.internal.wait;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.EngineClosedException;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of this process who wait for one run to end. One look at a time: when a wake-up about its key comes, and from time to
 * time anyway. It ends with the run, or with the last who waits.
 */
public final class EndWatch {

    private static final Logger log = LoggerFactory.getLogger(EndWatch.class);

    private final RunStore store;
    private final WaitScheduler waits;
    private final EndWatches ends;
    private final RunId id;
    private final Set<Waiting> waiting = new HashSet<>();
    private final Poller poller;
    private boolean over;
    private volatile Optional<Run> last = Optional.empty();

    /** Somebody who waits. Identity, not equality: many may wait for the same. */
    private static final class Waiting {
        private final CompletableFuture<Optional<Run>> result;
        private final boolean atWork;

        Waiting(CompletableFuture<Optional<Run>> result, boolean atWork) {
            this.result = result;
            this.atWork = atWork;
        }
    }

    EndWatch(RunStore store, WaitScheduler waits, EndWatches ends, RunId id) {
        this.store = store;
        this.waits = waits;
        this.ends = ends;
        this.id = id;
        this.poller = new Poller(waits, this::look);
    }

    /** Takes in whoever waits for {@code result}, unless it is over. */
    boolean join(CompletableFuture<Optional<Run>> result, Duration maxWait, boolean atWork) {
        Waiting somebody = new Waiting(result, atWork);
        synchronized (this) {
            if (over) {
                return false;
            }
            waiting.add(somebody);
        }
        Timers.Scheduled limit = waits.after(maxWait, () -> giveUp(result));
        CompletionStage<Optional<Run>> stage = result;
        stage.whenComplete((run, failure) -> {
            limit.cancel();
            leave(somebody);
        });
        poller.look();
        return true;
    }

    /** The run has ended. */
    void ended(Run run) {
        finish(Optional.of(run), null);
    }

    /** Sends everybody away but for work under way; it ends when that has left, too. */
    void close() {
        Set<Waiting> guests;
        synchronized (this) {
            guests = new HashSet<>(waiting);
        }
        guests.removeIf(somebody -> somebody.atWork);
        guests.forEach(guest -> waits.tell(() -> guest.result.completeExceptionally(new EngineClosedException())));
    }

    /** Sends everybody away. */
    void shut() {
        finish(Optional.empty(), new EngineClosedException());
    }

    private void look() {
        try {
            waits.threads().calls().execute(this::read);
        } catch (RejectedExecutionException closed) {
            shut();
        } catch (RuntimeException | Error noThread) {
            log.warn("run {} could not be looked at, trying again: {}", id, noThread.toString());
            poller.looked();
        }
    }

    private void read() {
        try {
            Optional<Run> found = store.findRun(id);
            last = found;
            if (found.isEmpty() || found.get().state().isTerminal()) {
                finish(found, null);
                return;
            }
            // Not before, because nobody knew the key.
            LockKey key = found.get().key();
            poller.listen(look -> store.changes().watch(key, look));
        } catch (RuntimeException | Error failure) {
            log.debug("run {} could not be looked at, trying again: {}", id, failure.toString());
        }
        poller.looked();
    }

    // The time is over: the run as it was last seen, or as it is now if nobody has seen it yet.
    private void giveUp(CompletableFuture<Optional<Run>> result) {
        waits.tell(() -> {
            try {
                result.complete(last.isPresent() ? last : store.findRun(id));
            } catch (RuntimeException failure) {
                result.completeExceptionally(failure);
            }
        });
    }

    private void leave(Waiting somebody) {
        synchronized (this) {
            waiting.remove(somebody);
            if (over || !waiting.isEmpty()) {
                return;
            }
            // Now, not later: whoever comes in between would be sent away with the answer for nobody.
            over = true;
        }
        end();
    }

    private void finish(Optional<Run> run, @Nullable RuntimeException failure) {
        Set<Waiting> all;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            all = new HashSet<>(waiting);
        }
        end();
        for (Waiting somebody : all) {
            waits.tell(() -> {
                if (failure != null) {
                    somebody.result.completeExceptionally(failure);
                } else {
                    somebody.result.complete(run);
                }
            });
        }
    }

    private void end() {
        poller.end();
        ends.forget(id, this);
    }
}

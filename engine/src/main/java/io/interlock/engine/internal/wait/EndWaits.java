package io.interlock.engine.internal.wait;

import io.interlock.RunId;
import io.interlock.engine.EngineClosedException;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.WaitQueues;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunQueries;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Callers that wait for runs to end. All that wait for one run share its looks and its end. Safe for use by many threads. */
public final class EndWaits {

    private static final Logger log = LoggerFactory.getLogger(EndWaits.class);

    private final RunQueries runs;
    private final WaitScheduler waits;
    private final WaitQueues<RunId, Run> queues;

    public EndWaits(RunQueries runs, ChangeFeed changes, WaitScheduler waits) {
        this.runs = runs;
        this.waits = waits;
        this.queues = new WaitQueues<>(
                waits.pace(), waits.threads().calls(), (id, run, look) -> changes.watch(run.key(), look));
    }

    /**
     * The run once it has ended, or as it stands when {@code maxWait} is over.
     *
     * @param atWork whether work under way waits, which goes on while the engine closes
     */
    public CompletableFuture<Optional<Run>> await(RunId run, Duration maxWait, boolean atWork) {
        waits.requireOpen();
        Waiter waiter = new Waiter(run);
        Runnable refuse = () -> waiter.result.completeExceptionally(new EngineClosedException());
        Timers.Scheduled close = atWork ? waits.onEnd(refuse) : waits.onClose(refuse);
        Timers.Scheduled limit = waits.after(maxWait, waiter::timeIsOver);
        queues.join(waiter, run, null);
        Futures.whenOver(waiter.result, (end, failure) -> {
            limit.cancel();
            close.cancel();
            queues.leave(waiter, run);
        });
        return waiter.result;
    }

    /** {@code run} was seen as it stands now. */
    public void seen(Run run) {
        if (run.state().isTerminal()) {
            settleAll(run.id(), Optional.of(run), null);
        }
    }

    private void settleAll(RunId run, Optional<Run> end, @Nullable Throwable failure) {
        queues.waiters(run).forEach(waiter -> ((Waiter) waiter).settle(end, failure));
    }

    private final class Waiter extends WaitQueues.Waiter<Run> {

        private final RunId id;
        private final CompletableFuture<Optional<Run>> result = new CompletableFuture<>();

        Waiter(RunId id) {
            super(queues.ticket());
            this.id = id;
        }

        @Override
        protected @Nullable CompletionStage<WaitQueues.Next<Run>> ask() {
            return waits.call(() -> runs.findRun(id))
                    .handle((found, failure) -> failure == null ? looked(found) : failed(failure));
        }

        private WaitQueues.Next<Run> looked(Optional<Run> found) {
            if (found.isPresent() && !found.get().state().isTerminal()) {
                return new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, found.get());
            }
            settleAll(id, found, null);
            return new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, null);
        }

        private WaitQueues.Next<Run> failed(Throwable failure) {
            if (failure instanceof EngineClosedException) {
                settleAll(id, Optional.empty(), failure);
            }
            log.debug("run {} could not be read; retrying: {}", id, failure.toString());
            return new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, null);
        }

        void settle(Optional<Run> end, @Nullable Throwable failure) {
            waits.tell(() -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(end);
                }
            });
        }

        // The run as it was last seen, or as it is now if it was not seen yet.
        private void timeIsOver() {
            Run last = queues.lastAnswer(id);
            waits.tell(() -> {
                try {
                    result.complete(last != null ? Optional.of(last) : runs.findRun(id));
                } catch (RuntimeException failure) {
                    result.completeExceptionally(failure);
                }
            });
        }
    }
}

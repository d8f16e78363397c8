package io.interlock.engine.internal.worker;

import io.interlock.LossCause;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes an engine that lets in no new request. Waits end, but for those of work under way. Work goes on with its heartbeats until it
 * has ended or the drain time is over; what is left is told to stop and has its grace. Only then do the threads end.
 */
public final class GracefulShutdown {

    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

    private final WorkerAssembly work;
    private final Runnable sendAway;
    private final Runnable end;
    private boolean interrupted;

    /**
     * The closing of {@code work}, and of all around it.
     *
     * @param sendAway sends away those who wait
     * @param end ends the threads, those of {@code work} among them
     */
    public GracefulShutdown(WorkerAssembly work, Runnable sendAway, Runnable end) {
        this.work = work;
        this.sendAway = sendAway;
        this.end = end;
    }

    public void run() {
        try {
            sayGoodbye();
        } finally {
            end.run();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void sayGoodbye() {
        work.takeNoMore();
        sendAway.run();
        work.activeRuns().close();
        await(work.settings().drainTime());
        stopTheRest();
        for (HeldRun held : work.activeRuns().shut()) {
            log.warn(
                    "run {} of job {} under {} still runs after its drain time and grace; its lease is left to end",
                    held.run().id(),
                    held.run().job(),
                    held.key());
            // Not released: its work may still run.
            work.activeRuns().lose(held, LossCause.CLOSED);
        }
    }

    private void stopTheRest() {
        Duration grace = Duration.ZERO;
        for (HeldRun held : work.activeRuns().all()) {
            work.activeRuns()
                    .stop(held, work.activeRuns().stopRequest(ActiveRuns.SHUTDOWN, "its worker was shut down"));
            grace = held.job().grace().compareTo(grace) > 0 ? held.job().grace() : grace;
        }
        await(grace);
    }

    // An interrupt ends the waiting, not the closing.
    private void await(Duration time) {
        CompletableFuture<Void> empty = work.activeRuns().empty();
        if (time.isZero() || interrupted || empty.isDone()) {
            return;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        Timers.Scheduled limit = work.timers().deadlines().after(LocalTime.capped(time), () -> over.complete(null));
        try {
            CompletableFuture.anyOf(List.of(over, empty).toArray(CompletableFuture[]::new))
                    .get();
        } catch (InterruptedException stopWaiting) {
            interrupted = true;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            limit.cancel();
        }
    }
}

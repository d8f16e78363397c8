package io.interlock.engine.workflow;

import io.interlock.FencingToken;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.Environment.Timers.Scheduled;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An attempt of a run that no worker has taken: begun and stopped by a test. */
final class AttemptByHand implements RunContext {

    private final Run run;
    private final int attempt;
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private volatile @Nullable StopRequest stop;
    private volatile @Nullable Thread worker;

    AttemptByHand(Run run, int attempt) {
        this.run = run;
        this.attempt = attempt;
    }

    /** Has {@code work} done on a thread of its own. */
    CompletableFuture<String> begin(RunHandler work) {
        Thread thread = new Thread(() -> {
            try {
                end.complete(work.run(this));
            } catch (Exception failure) {
                end.completeExceptionally(failure);
            }
        });
        worker = thread;
        thread.start();
        return end;
    }

    /** Tells the work to stop. */
    void stop(String code) {
        stop = new StopRequest(code, "a test", "it must", run.submittedAt());
        Optional.ofNullable(worker).ifPresent(Thread::interrupt);
    }

    @Override
    public Run run() {
        return run;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public Duration remaining() {
        return Duration.ofSeconds(25);
    }

    @Override
    public FencingToken token() {
        return new FencingToken(attempt);
    }

    @Override
    public void stage(String name) {}

    @Override
    public void progress(long done, long total) {}

    @Override
    public void output(String text) {}

    @Override
    public void checkpoint() {
        stopping().ifPresent(told -> {
            throw new RunStoppedException(told);
        });
    }

    @Override
    public Optional<StopRequest> stopping() {
        return Optional.ofNullable(stop);
    }

    @Override
    public Scheduled onStop(Runnable task) {
        throw new UnsupportedOperationException("nodes are runs, and need no such task");
    }

    @Override
    public Duration grace() {
        return Duration.ofSeconds(1);
    }
}

package io.interlock.engine.command;

import io.interlock.FencingToken;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.RunContext;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.Environment.Timers.Scheduled;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run without an engine: keeps what work reports, and can be told to stop. */
public final class FakeContext implements RunContext {

    /** When everything here happens. */
    public static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int TAIL = 64 * 1024;

    private final Run run;
    private final List<String> reports = new ArrayList<>();
    private final List<Runnable> onStop = new ArrayList<>();
    private final StringBuilder output = new StringBuilder();
    private long written;
    private int longest;
    private @Nullable StopRequest stop;
    private Duration grace = Duration.ofSeconds(30);
    private Duration remaining = Duration.ofSeconds(25);

    /** A run with these parameters. */
    public FakeContext(String parameters) {
        this(parameters, null);
    }

    /** A run with these parameters, submitted under a trace. */
    public FakeContext(String parameters, @Nullable String trace) {
        RunSpec spec = RunSpec.of(new JobName("export"), "a test")
                .parameters(parameters)
                .terms(LeaseTerms.of(LEASE))
                .origin(new Origin("a test", null, null, trace, null));
        RunStatus status =
                new RunStatus(RunState.RUNNING, THEN, 2, null, null, null, List.of(), Progress.NONE, null, null, null);
        run = new Run(
                RunId.parse("01890000-0000-7000-8000-000000000001"),
                LockKey.of("acme", "ledger/4711"),
                1,
                THEN,
                spec,
                LineLimits.NONE,
                status);
    }

    /** This, with less patience. */
    public synchronized FakeContext grace(Duration grace) {
        this.grace = grace;
        return this;
    }

    /** This, with a lease that can be relied upon for no longer than this. */
    public synchronized FakeContext remaining(Duration remaining) {
        this.remaining = remaining;
        return this;
    }

    /** Tells the work to stop. */
    public void stop() {
        List<Runnable> tasks;
        synchronized (this) {
            stop = new StopRequest(RunError.CANCELLED, "olga", "no longer needed", THEN);
            tasks = List.copyOf(onStop);
        }
        tasks.forEach(Runnable::run);
    }

    /** What was reported, in order: {@code stage load}, {@code progress 3/4}. */
    public synchronized List<String> reports() {
        return List.copyOf(reports);
    }

    /** The end of the output. */
    public synchronized String output() {
        return output.toString();
    }

    /** How much output there was. */
    public synchronized long written() {
        return written;
    }

    /** The longest piece of output. */
    public synchronized int longest() {
        return longest;
    }

    @Override
    public Run run() {
        return run;
    }

    @Override
    public FencingToken token() {
        return new FencingToken(4183);
    }

    @Override
    public synchronized Duration remaining() {
        return remaining;
    }

    @Override
    public synchronized void stage(String name) {
        reports.add("stage " + name);
    }

    @Override
    public synchronized void progress(long done, long total) {
        reports.add("progress " + done + "/" + total);
    }

    @Override
    public synchronized void output(String text) {
        written += text.length();
        longest = Math.max(longest, text.length());
        output.append(text);
        output.delete(0, Math.max(0, output.length() - TAIL));
    }

    @Override
    public void checkpoint() throws RunStoppedException {
        Optional<StopRequest> wanted = stopping();
        if (wanted.isPresent()) {
            throw new RunStoppedException(wanted.get());
        }
    }

    @Override
    public synchronized Optional<StopRequest> stopping() {
        return Optional.ofNullable(stop);
    }

    @Override
    public Scheduled onStop(Runnable task) {
        synchronized (this) {
            onStop.add(task);
            if (stop == null) {
                return () -> forget(task);
            }
        }
        task.run();
        return () -> {};
    }

    private synchronized void forget(Runnable task) {
        onStop.remove(task);
    }

    /** How many tasks wait for the work to be told to stop. */
    public synchronized int stopTasks() {
        return onStop.size();
    }

    @Override
    public synchronized Duration grace() {
        return grace;
    }
}

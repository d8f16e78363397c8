package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.peer.RunPeer;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.peer.WorkerProcess;
import io.interlock.benchmark.server.PostgresAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Drains of one contender: a submitter here, and workers in processes of their own. */
final class DrainRound implements AutoCloseable {

    private static final int WARM_UP_RUNS = 20_000;
    private static final int RUNS_PER_KEY = 10;
    private static final int SUBMITTERS = 64;
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final RunPeers peer;
    private final PostgresAddress database;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final int slots;
    private int next;

    DrainRound(RunPeers peer, PostgresAddress database, int processes, int slots) throws Exception {
        this.peer = peer;
        this.database = database;
        this.slots = slots;
        for (int i = 0; i < processes; i++) {
            workers.add(WorkerProcess.start(peer, database));
        }
    }

    /** Works for about as long as {@code time}, so that the programs under test are compiled, as those are that have run for a while. */
    void warmUp(Duration time) throws Exception {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < until) {
            run(WARM_UP_RUNS, Meter.ofMachine());
        }
    }

    /**
     * Submits, lets the workers loose, and waits until nothing is open, or a minute is over. Afterwards only idle processes are left, so that the
     * next contender has the machine alone.
     */
    Measurement run(int runs, Meter meter) throws Exception {
        meter.checkpoint();
        try (RunPeer.Submitting submitting = peer.peer().submitter(database)) {
            Meter.Reading begin = meter.read();
            submit(submitting, runs);
            Meter.Reading submitted = meter.read();
            Progress progress = drain(submitting, runs);
            Meter.Reading end = meter.read();
            for (WorkerProcess worker : workers) {
                worker.stop();
            }
            return Measurement.none()
                    .with(Figure.PER_SECOND, progress.perSecond())
                    .with(submitted
                            .until(end)
                            .of(progress.done)
                            .plus(begin.until(submitted).of(runs)));
        }
    }

    @Override
    public void close() throws Exception {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
    }

    private void submit(RunPeer.Submitting submitting, int runs) throws Exception {
        int from = next;
        next += runs;
        int keys = Math.max(1, runs / RUNS_PER_KEY);
        Parallel.forEach(SUBMITTERS, runs, i -> submitting.submit("run-" + (from + i), "key/" + i % keys));
    }

    private Progress drain(RunPeer.Submitting submitting, int runs) throws Exception {
        long before = done();
        for (WorkerProcess worker : workers) {
            worker.beginOpen(slots);
        }
        long began = System.nanoTime();
        long first = 0;
        long until = began + LONGEST.toNanos();
        while ((done() - before < runs || submitting.open() > 0) && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(5);
            if (first == 0) {
                // Opening connections and waiting for a first poll is no part of the rate.
                first = done() - before;
                began = System.nanoTime();
            }
        }
        return new Progress(done() - before, first, System.nanoTime() - began);
    }

    private long done() {
        return workers.stream().mapToLong(WorkerProcess::done).sum();
    }

    /** How far a drain came: {@code done} in all, of which {@code first} before its time began. */
    private record Progress(long done, long first, long nanos) {

        double perSecond() {
            return (done - first) / (nanos / 1e9);
        }
    }
}

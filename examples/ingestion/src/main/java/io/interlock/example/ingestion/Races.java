package io.interlock.example.ingestion;

import io.interlock.LockKey;
import io.interlock.engine.RunContext;
import io.interlock.example.ingestion.Database.Fence;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The races of an event, one after the other under the event's lock; or several at once, each also under its own lock
 * {@code event/{id}/race/{n}}, so that one race can be repaired while the others continue.
 */
final class Races {

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final int atOnce;
    private final String store;
    private final Environment environment;

    Races(int atOnce, String store, Environment environment) {
        this.atOnce = atOnce;
        this.store = store;
        this.environment = environment;
    }

    /** Ingests a race under these locks. */
    interface Work {
        void on(int race, List<Fence> fences) throws Exception;
    }

    void each(List<Integer> races, RunContext run, Work work) throws Exception {
        run.progress(0, races.size());
        if (atOnce == 1) {
            int done = 0;
            for (int race : races) {
                run.checkpoint();
                work.on(race, List.of(new Fence(run.key(), run.token())));
                run.progress(++done, races.size());
            }
            return;
        }
        // Closed last: that waits for the work under its leases.
        try (Locks locks = Locks.open(store)) {
            together(locks, races, run, work);
        }
    }

    private void together(Locks locks, List<Integer> races, RunContext run, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(atOnce, environment.threads("race"));
        try {
            CompletionService<Integer> working = new ExecutorCompletionService<>(threads);
            races.forEach(race -> working.submit(() -> locked(locks, race, run, work)));
            for (int done = 1; done <= races.size(); done++) {
                working.take().get();
                run.progress(done, races.size());
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception told ? told : failed;
        } finally {
            stop(threads);
        }
    }

    private static int locked(Locks locks, int race, RunContext run, Work work) throws Exception {
        run.checkpoint();
        LockKey key = LockKey.of(run.key().tenant(), run.key().name() + "/race/" + race);
        try (Lease lease = locks.acquire(key, LONGEST_WAIT).orElseThrow()) {
            work.on(race, List.of(new Fence(run.key(), run.token()), new Fence(key, lease.token())));
        }
        return race;
    }

    /** Waits until all work has stopped before the run ends: an interrupt of this thread is passed on and restored. */
    private static void stop(ExecutorService threads) {
        threads.shutdownNow();
        boolean interrupted = Thread.interrupted();
        while (!threads.isTerminated()) {
            try {
                interrupted |= !threads.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

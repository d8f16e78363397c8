package io.interlock.engine.internal.remote;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.submit.Submitter;
import io.interlock.engine.internal.wait.LongPolls;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.engine.internal.worker.Finisher;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.WorkerNote;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the steps of workers and callers in other processes on. */
public final class RemoteSteps implements RemoteWork {

    private final WorkSteps steps;
    private final WaitScheduler waits;
    private final Batches.Runs batches;
    private final Submitter submitter;
    private final Finisher finisher;
    private final EngineEvents events;
    private final @Nullable RemoteWorkers workers;
    private final LongPolls<Wanted, List<Claimed>> claims;
    private final LongPolls<TurnRequest, TurnAnswer> turns;

    private record Wanted(@Nullable String tenant, Set<JobName> jobs) {}

    /**
     * Steps on a store.
     *
     * @param workers notes the workers, or {@code null} if they are not noted
     */
    public RemoteSteps(
            WorkSteps steps,
            ChangeFeed changes,
            WaitScheduler waits,
            Batches.Runs batches,
            Submitter submitter,
            Finisher finisher,
            EngineEvents events,
            @Nullable RemoteWorkers workers) {
        this.steps = steps;
        this.waits = waits;
        this.batches = batches;
        this.submitter = submitter;
        this.finisher = finisher;
        this.events = events;
        this.workers = workers;
        this.claims = LongPolls.own(
                waits, claimed -> !claimed.isEmpty(), (wanted, none, look) -> steps.watchWork(wanted.tenant(), look));
        this.turns = LongPolls.own(
                waits,
                answer -> !(answer instanceof TurnAnswer.Waiting),
                (turn, waiting, look) -> changes.watch(turn.key(), look));
    }

    @Override
    public CompletionStage<Submission> submit(RunRequest request, Caller caller) {
        return submitter.submitAsync(request, caller);
    }

    @Override
    public CompletionStage<TurnAnswer> takeTurn(RunId run, LockKey key, Caller caller, Duration wait) {
        waits.requireOpen();
        TurnRequest request = new TurnRequest(run, key, new SubmitRequest.Caller(caller.lease(), caller.holder()));
        CompletableFuture<TurnAnswer> result =
                turns.within(request, wait, () -> batches.turns().submit(request));
        Futures.whenOver(result, (answer, failure) -> {
            if (answer instanceof TurnAnswer.Granted granted) {
                events.tell(new EngineEvent.RunStarted(granted.run()));
            }
        });
        return result;
    }

    @Override
    public CompletionStage<List<Claimed>> claim(Claim claim, Duration wait) {
        waits.requireOpen();
        ClaimRequest request = new ClaimRequest(claim.id(), claim.worker(), claim.tenant(), claim.jobs(), claim.max());
        if (workers != null) {
            workers.asks(request);
        }
        CompletableFuture<List<Claimed>> result = claims.within(
                new Wanted(claim.tenant(), claim.jobs()), wait, () -> waits.call(() -> steps.claim(request)));
        Futures.whenOver(result, (claimed, failure) -> {
            if (claimed != null) {
                claimed.forEach(each -> events.tell(new EngineEvent.RunStarted(each.run())));
            }
        });
        return result;
    }

    @Override
    public CompletionStage<HeartbeatAnswer> heartbeat(
            Proof proof, @Nullable String stage, @Nullable Progress progress) {
        HeartbeatRequest request =
                new HeartbeatRequest(proof.run(), proof.key(), proof.lease(), proof.token(), stage, progress);
        return batches.work().heartbeats().submit(request);
    }

    @Override
    public CompletionStage<Boolean> keepOutput(Proof proof, String text) {
        OutputNote note = new OutputNote(proof.run(), proof.key(), proof.lease(), proof.token(), text);
        return waits.call(() -> steps.keepOutput(note));
    }

    @Override
    public CompletionStage<FinishAnswer> finish(Proof proof, Ending ending) {
        FinishRequest request = new FinishRequest(proof.run(), proof.key(), proof.lease(), proof.token(), ending);
        return finisher.finishElsewhere(request);
    }

    /**
     * Notes for people which workers in other processes ask for work. Each is noted every {@link #EVERY} at the most, one call at a time
     * and beside the claims themselves. Tenants take turns, and of one tenant's crowd at most {@link WorkerNote#MOST_REMOTE} wait to be
     * noted, so that a worker with ever new names delays no other. Safe for use by many threads.
     */
    public static final class RemoteWorkers {

        static final Duration EVERY = Duration.ofSeconds(15);

        private static final Logger log = LoggerFactory.getLogger(RemoteWorkers.class);
        private static final int MOST_TENANTS = 1000;

        private final RunNotes notes;
        private final EngineThreads threads;
        private final EngineTimers timers;
        private final Map<Optional<String>, Tenant> tenants = BoundedMap.ofLastUsed(MOST_TENANTS);

        /** Tenants with workers that wait to be noted, each once. */
        private final Deque<Tenant> turns = new ArrayDeque<>();

        private boolean noting;

        private static final class Tenant {
            private final Map<String, WorkerNote> unsaid = new LinkedHashMap<>();
            private final Map<String, Moment> noted = BoundedMap.ofLastUsed(2 * WorkerNote.MOST_REMOTE);
        }

        public RemoteWorkers(RunNotes notes, EngineThreads threads, EngineTimers timers) {
            this.notes = notes;
            this.threads = threads;
            this.timers = timers;
        }

        void asks(ClaimRequest claim) {
            synchronized (this) {
                if (!waits(claim) || noting) {
                    return;
                }
                noting = true;
            }
            threads.call(this::tell).whenComplete((told, failure) -> {
                if (failure != null) {
                    synchronized (this) {
                        noting = false;
                    }
                    log.debug("workers in other processes are not noted: {}", failure.toString());
                }
            });
        }

        private boolean waits(ClaimRequest claim) {
            String instance = claim.holder().instance();
            Tenant tenant = tenants.computeIfAbsent(Optional.ofNullable(claim.tenant()), name -> new Tenant());
            Moment last = tenant.noted.get(instance);
            boolean known = last != null && timers.time().elapsed(last) < EVERY.toNanos();
            if (known || tenant.unsaid.size() >= WorkerNote.MOST_REMOTE) {
                return false;
            }
            if (tenant.unsaid.isEmpty()) {
                turns.add(tenant);
            }
            tenant.noted.put(instance, timers.time().now());
            tenant.unsaid.put(instance, note(claim));
            return true;
        }

        private boolean tell() {
            while (true) {
                WorkerNote next;
                synchronized (this) {
                    next = next();
                    if (next == null) {
                        noting = false;
                        return true;
                    }
                }
                try {
                    notes.noteWorker(next);
                } catch (RuntimeException failure) {
                    // It asks again, and is noted then.
                    log.debug("worker {} is not noted: {}", next.worker().label(), failure.toString());
                }
            }
        }

        private @Nullable WorkerNote next() {
            Tenant tenant = turns.poll();
            if (tenant == null) {
                return null;
            }
            Iterator<WorkerNote> unsaid = tenant.unsaid.values().iterator();
            WorkerNote next = unsaid.next();
            unsaid.remove();
            if (unsaid.hasNext()) {
                turns.add(tenant);
            }
            return next;
        }

        private WorkerNote note(ClaimRequest claim) {
            return new WorkerNote(
                    claim.holder(),
                    claim.tenant(),
                    claim.jobs(),
                    claim.max(),
                    0,
                    WorkerNote.REMOTE,
                    timers.environment().clock().instant());
        }
    }
}

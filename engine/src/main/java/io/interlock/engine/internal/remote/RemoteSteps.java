package io.interlock.engine.internal.remote;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.batch.Coalescer;
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
import io.interlock.spi.Answers;
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
import java.util.Collections;
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
        private static final LockKey ANY = LockKey.of("interlock", "workers");

        private final EngineTimers timers;
        /** One at a time, and tenants take turns. */
        private final Coalescer<WorkerNote, Boolean> notes;

        private final Map<Optional<String>, Crowd> crowds = BoundedMap.ofLastUsed(MOST_TENANTS);

        private static final class Crowd {
            private final Map<String, Moment> noted = BoundedMap.ofLastUsed(2 * WorkerNote.MOST_REMOTE);
            private int waiting;
        }

        public RemoteWorkers(RunNotes notes, EngineThreads threads, EngineTimers timers) {
            this.timers = timers;
            this.notes = new Coalescer<>(
                    each -> {
                        each.forEach(notes::noteWorker);
                        return Answers.of(Collections.nCopies(each.size(), true));
                    },
                    note -> List.of(note.tenant() == null ? ANY : LockKey.of(note.tenant(), "workers")),
                    1,
                    1,
                    threads.calls());
        }

        void asks(ClaimRequest claim) {
            String instance = claim.holder().instance();
            Crowd crowd;
            synchronized (this) {
                crowd = crowds.computeIfAbsent(Optional.ofNullable(claim.tenant()), name -> new Crowd());
                Moment last = crowd.noted.get(instance);
                boolean known = last != null && timers.time().elapsed(last) < EVERY.toNanos();
                if (known || crowd.waiting >= WorkerNote.MOST_REMOTE) {
                    return;
                }
                crowd.noted.put(instance, timers.time().now());
                crowd.waiting++;
            }
            notes.submit(note(claim)).whenComplete((noted, failure) -> {
                synchronized (this) {
                    crowd.waiting--;
                }
                if (failure != null) {
                    // It asks again, and is noted then.
                    log.debug("worker {} is not noted: {}", claim.holder().label(), failure.toString());
                }
            });
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

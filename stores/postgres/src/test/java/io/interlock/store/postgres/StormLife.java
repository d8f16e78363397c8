package io.interlock.store.postgres;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one of many threads does to a few keys, in batches that name them in any order. */
final class StormLife {

    static final List<String> PATTERNS = List.of("k1*", "k2", "*");
    static final int LIMIT = 3;

    private static final RunError ERROR = new RunError("BROKEN", "it broke");

    private final boolean mixed;
    private final RunStore store;
    private final Random random;
    private final Queue<RunId> acknowledged;
    private final List<Runnable> deeds;
    private final List<Claimed> works = new ArrayList<>();
    private final List<TurnRequest> waiting = new ArrayList<>();
    private final List<LeaseRecord> bare = new ArrayList<>();

    StormLife(RunStore store, Random random, Queue<RunId> acknowledged) {
        this(store, random, acknowledged, false);
    }

    /** {@code mixed}: most runs have no limits, so that a single statement may decide about them. */
    StormLife(RunStore store, Random random, Queue<RunId> acknowledged, boolean mixed) {
        this.mixed = mixed;
        this.store = store;
        this.random = random;
        this.acknowledged = acknowledged;
        deeds = Stream.<Runnable>of(
                        this::submit,
                        this::submit,
                        this::claim,
                        this::claim,
                        this::finish,
                        this::finish,
                        this::heartbeat,
                        this::takeTurns,
                        this::acquire,
                        this::release,
                        this::renew,
                        this::cancel,
                        this::moveToFront,
                        this::pause,
                        this::resume,
                        this::resume,
                        this::evict,
                        () -> store.sweep(20),
                        () -> store.upkeep().sweepRuns(20),
                        () -> store.queries().queue(key()))
                .toList();
    }

    /** The keys of two tenants, each with a limit. */
    static List<LockKey> keys() {
        return IntStream.range(0, 14)
                .mapToObj(i -> LockKey.of(i % 2 == 0 ? "acme" : "globex", "k" + i / 2))
                .toList();
    }

    void go() {
        deeds.get(random.nextInt(deeds.size())).run();
    }

    /** Ends what is under way. */
    void wind() {
        finish();
        release();
        takeTurns();
        claim();
        finish();
    }

    private void submit() {
        List<SubmitRequest> requests =
                Stream.generate(this::request).limit(1 + random.nextInt(6)).toList();
        each(requests, store.runs()::submit, (request, answer) -> {
            if (answer instanceof SubmitAnswer.Started started) {
                acknowledged.add(request.id());
                started.granted().ifPresent(lease -> works.add(new Claimed(started.run(), lease)));
            } else if (answer instanceof SubmitAnswer.Queued) {
                acknowledged.add(request.id());
                SubmitRequest.Caller caller = request.caller();
                if (caller != null) {
                    waiting.add(new TurnRequest(request.id(), request.key(), caller));
                }
            }
        });
    }

    private SubmitRequest request() {
        LockKey key = key();
        RunSpec spec = RunSpec.of(new JobName(one("load", "other")), "alice")
                .policy(one(ConflictPolicy.values()))
                .priority(random.nextInt(3))
                .terms(LeaseTerms.of(Duration.ofSeconds(2)))
                .limits(new RunLimits(perhaps(Duration.ofSeconds(3)), perhaps(Duration.ofSeconds(2)), Duration.ZERO))
                .retry(new RetryPlan(one(1, 3), Duration.ofMillis(one(0, 50)), 1, Duration.ofSeconds(1)));
        if (random.nextInt(4) == 0) {
            spec = spec.guard(
                    new Transition("thing", Set.of(Resource.UNTOUCHED, "READY", "BROKEN"), "BUSY", "READY", "BROKEN"));
        }
        if (mixed && random.nextInt(4) > 0) {
            RunSpec plain = RunSpec.of(new JobName(one("load", "other")), "alice")
                    .policy(one(
                            ConflictPolicy.QUEUE, ConflictPolicy.QUEUE, ConflictPolicy.QUEUE, ConflictPolicy.REJECT))
                    .priority(random.nextInt(5) / 4)
                    .terms(LeaseTerms.of(Duration.ofSeconds(2)))
                    .retry(new RetryPlan(one(1, 3), Duration.ofMillis(one(0, 50)), 1, Duration.ofSeconds(1)));
            return SubmitRequest.of(RunWords.freshRun(), key, plain);
        }
        SubmitRequest request = SubmitRequest.of(RunWords.freshRun(), key, spec).within(new LineLimits(4, LIMIT));
        if (random.nextInt(4) == 0) {
            request = request.by(new SubmitRequest.Caller(new LeaseId(RunWords.uuid()), RunWords.WORKER));
        }
        return random.nextInt(4) == 0
                ? request.knownBy(
                        new SubmitRequest.Idempotency("order " + random.nextInt(20), "f", Duration.ofMillis(200)))
                : request;
    }

    private void claim() {
        Set<JobName> jobs = Set.of(new JobName("load"), new JobName("other"));
        works.addAll(store.work()
                .claim(new ClaimRequest(
                        RunWords.uuid(),
                        RunWords.WORKER,
                        perhaps(one("acme", "globex")),
                        jobs,
                        1 + random.nextInt(5))));
    }

    private void finish() {
        Collections.shuffle(works, random);
        List<FinishRequest> requests = works.stream()
                .map(work -> new FinishRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        one(
                                new Ending.Succeeded("{}"),
                                new Ending.Failed(ERROR, true, null),
                                new Ending.Aborted(ERROR)),
                        mixed && random.nextBoolean()
                                ? new ClaimRequest(
                                        RunWords.uuid(),
                                        RunWords.WORKER,
                                        work.run().key().tenant(),
                                        Set.of(new JobName("load"), new JobName("other")),
                                        1)
                                : null))
                .toList();
        works.clear();
        each(requests, store.work()::finish, (request, answer) -> {
            if (answer instanceof FinishAnswer.Finished finished && finished.next() != null) {
                works.add(finished.next());
            }
        });
    }

    private void heartbeat() {
        Collections.shuffle(works, random);
        each(
                works.stream()
                        .map(work -> RunWords.beating(work, one("read", "write")))
                        .toList(),
                store.work()::heartbeat,
                (request, answer) -> {});
    }

    private void takeTurns() {
        Collections.shuffle(waiting, random);
        List<TurnRequest> asking = List.copyOf(waiting);
        waiting.clear();
        each(asking, store.runs()::takeTurn, (request, answer) -> {
            if (answer instanceof TurnAnswer.Granted granted) {
                works.add(new Claimed(granted.run(), granted.lease()));
            } else if (answer instanceof TurnAnswer.Waiting) {
                waiting.add(request);
            }
        });
    }

    private void acquire() {
        List<AcquireRequest> requests = Stream.generate(() -> AcquireRequest.of(
                        Stream.generate(this::key)
                                .limit(1 + random.nextInt(3))
                                .distinct()
                                .toList(),
                        new LeaseId(RunWords.uuid()),
                        RunWords.WORKER,
                        Duration.ofSeconds(2)))
                .limit(1 + random.nextInt(3))
                .toList();
        each(requests, store::tryAcquire, (request, answer) -> {
            if (answer instanceof AcquireAnswer.Granted granted) {
                granted.grants().forEach(grant -> bare.add(grant.lease()));
            }
        });
    }

    private void release() {
        Collections.shuffle(bare, random);
        each(
                bare.stream()
                        .map(lease -> new ReleaseRequest(lease.key(), lease.id(), lease.token()))
                        .toList(),
                store::release,
                (request, answer) -> {});
        bare.clear();
    }

    private void renew() {
        each(
                bare.stream()
                        .map(lease -> new RenewRequest(lease.key(), lease.id(), lease.token(), Duration.ofSeconds(2)))
                        .toList(),
                store::renew,
                (request, answer) -> {});
    }

    private void cancel() {
        RunId run = acknowledged.peek();
        if (run != null) {
            store.runs().cancel(new CancelRequest(run, "bob", "enough"));
        }
        store.queries().queue(key()).stream()
                .limit(1)
                .forEach(first -> store.runs().cancel(new CancelRequest(first.id(), "bob", "enough")));
    }

    private void moveToFront() {
        store.queries().queue(key()).stream()
                .skip(1)
                .limit(1)
                .forEach(run -> store.runs().moveToFront(new MoveRequest(run.id(), Actor.of("bob"), "first")));
    }

    private void pause() {
        store.runs()
                .pause(new PauseRequest(
                        one("acme", "globex"),
                        pattern(),
                        "carol",
                        "upgrade",
                        Duration.ofMillis(1 + random.nextInt(100))));
    }

    private void resume() {
        store.runs().resume(new ResumeRequest(one("acme", "globex"), pattern(), "carol", "done"));
    }

    private void evict() {
        if (random.nextInt(4) == 0) {
            LockKey key = key();
            store.find(List.of(key))
                    .get(0)
                    .ifPresent(lease -> store.evict(new EvictRequest(key, lease.token(), "carol", "stuck")));
        }
    }

    /** Asks for all at once; what is left open is asked for alone, as every user of a store does. */
    private static <Q, A> void each(List<Q> requests, Function<List<Q>, Answers<A>> step, BiConsumer<Q, A> then) {
        if (requests.isEmpty()) {
            return;
        }
        Answers<A> answers = step.apply(requests);
        for (int i = 0; i < requests.size(); i++) {
            Q request = requests.get(i);
            then.accept(
                    request, answers.isOpen(i) ? step.apply(List.of(request)).only() : answers.get(i));
        }
    }

    private LockKey key() {
        List<LockKey> keys = keys();
        return keys.get(random.nextInt(keys.size()));
    }

    private String pattern() {
        return PATTERNS.get(random.nextInt(PATTERNS.size()));
    }

    private <T> @Nullable T perhaps(T value) {
        return random.nextBoolean() ? value : null;
    }

    @SafeVarargs
    private <T> T one(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}

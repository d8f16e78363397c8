package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Two engines, one key, a hundred submissions at once under each policy. */
public abstract class PolicyContract extends EngineContract {

    private static final int MANY = 100;

    private final ConcurrentLinkedQueue<RunId> order = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private volatile CountDownLatch mayEnd = new CountDownLatch(1);

    @Test
    void oneOfAHundredRunsAndTheOthersAreRejectedWithItsId() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.REJECT);
        Run winner = crowd.only(Submission.Started.class).orElseThrow();
        assertThat(crowd.all(Submission.Rejected.class)).hasSize(MANY - 1);
        assertThat(crowd.all(Submission.Rejected.class))
                .allMatch(rejected -> rejected.incumbent().equals(Optional.of(winner.id())))
                .allMatch(
                        rejected -> rejected.explanation().contains(winner.id().toString())
                                || rejected.explanation().contains(winner.key().name()));
        letAllEnd(crowd);
        assertThat(order).containsExactly(winner.id());
    }

    @Test
    void oneOfAHundredRunsAndTheOthersAreSkippedWithoutAnError() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.SKIP);
        Run winner = crowd.only(Submission.Started.class).orElseThrow();
        assertThat(crowd.all(Submission.Skipped.class)).hasSize(MANY - 1);
        assertThat(crowd.all(Submission.Skipped.class))
                .allMatch(skipped -> skipped.incumbent().equals(Optional.of(winner.id())));
        letAllEnd(crowd);
        assertThat(order).containsExactly(winner.id());
    }

    @Test
    void allHundredGetTheSameRunIfTheyJoin() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.JOIN);
        Run winner = crowd.only(Submission.Started.class).orElseThrow();
        assertThat(crowd.all(Submission.Joined.class)).hasSize(MANY - 1);
        assertThat(crowd.answers).allMatch(answer -> answer.orElseThrow().id().equals(winner.id()));
        letAllEnd(crowd);
        assertThat(order).containsExactly(winner.id());
    }

    @Test
    void allHundredRunInTheirOrderIfTheyQueue() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.QUEUE);
        crowd.only(Submission.Started.class);
        assertThat(crowd.all(Submission.Queued.class)).hasSize(MANY - 1);
        letAllEnd(crowd);
        List<RunId> byNumber = crowd.runs().stream()
                .sorted(Comparator.comparingLong(Run::number))
                .map(Run::id)
                .toList();
        assertThat(order).containsExactlyElementsOf(byNumber);
    }

    @Test
    void onlyTheFirstAndTheLastOfAHundredRunIfTheLatestQueues() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.QUEUE_LATEST);
        Run first = crowd.only(Submission.Started.class).orElseThrow();
        Run last =
                crowd.runs().stream().max(Comparator.comparingLong(Run::number)).orElseThrow();
        letAllEnd(crowd);
        assertThat(order).containsExactly(first.id(), last.id());
        for (Run run : crowd.runs()) {
            Run now = crowd.engine.find(run.id()).orElseThrow();
            boolean ran = run.id().equals(first.id()) || run.id().equals(last.id());
            assertThat(now.state()).isEqualTo(ran ? RunState.SUCCEEDED : RunState.ABORTED);
            if (!ran) {
                assertThat(now.status().error()).extracting(RunError::code).isEqualTo(RunError.SUPERSEDED);
            }
        }
    }

    @Test
    void theIncumbentHasStoppedBeforeTheOneThatReplacesItStarts() throws Exception {
        Crowd crowd = crowd(ConflictPolicy.REPLACE);
        Run last =
                crowd.runs().stream().max(Comparator.comparingLong(Run::number)).orElseThrow();
        await().until(() -> order.contains(last.id()));
        letAllEnd(crowd);
        assertThat(crowd.engine.find(last.id()).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(crowd.runs().stream()
                        .filter(run -> !run.id().equals(last.id()))
                        .map(run -> crowd.engine.find(run.id()).orElseThrow().state()))
                .containsOnly(RunState.ABORTED);
    }

    // Work may never overlap with other work; work that is told to stop stops.
    private String work(RunContext context) throws Exception {
        if (inside.incrementAndGet() != 1) {
            overlaps.incrementAndGet();
        }
        order.add(context.run().id());
        try {
            while (!mayEnd.await(10, TimeUnit.MILLISECONDS)) {
                context.checkpoint();
            }
            return "{}";
        } finally {
            inside.decrementAndGet();
        }
    }

    private Crowd crowd(ConflictPolicy policy) throws Exception {
        mayEnd = new CountDownLatch(1);
        order.clear();
        overlaps.set(0);
        Jobs jobs = Jobs.of(Job.named("load")
                .handler(this::work)
                .onConflict(policy)
                .lease(Duration.ofSeconds(3))
                .build());
        List<RunEngine> engines = List.of(bench().engine(jobs), bench().engine(jobs));
        LockKey key = bench().key();
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Submission>> futures = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                RunEngine engine = engines.get(i % 2);
                futures.add(threads.submit(() -> {
                    start.await();
                    return bench().noted(engine.submit(RunRequest.of(key, "load")));
                }));
            }
            start.countDown();
            List<Submission> answers = new ArrayList<>();
            for (Future<Submission> future : futures) {
                answers.add(future.get());
            }
            return new Crowd(engines.get(0), answers);
        } finally {
            threads.shutdownNow();
        }
    }

    private void letAllEnd(Crowd crowd) throws Exception {
        mayEnd.countDown();
        for (Run run : crowd.runs()) {
            Run end = crowd.engine.awaitEnd(run.id(), Duration.ofSeconds(30)).orElseThrow();
            assertThat(end.state().isTerminal()).as("%s ended", end).isTrue();
        }
        assertThat(overlaps).hasValue(0);
    }

    private record Crowd(RunEngine engine, List<Submission> answers) {

        <S extends Submission> List<S> all(Class<S> kind) {
            return answers.stream().filter(kind::isInstance).map(kind::cast).toList();
        }

        <S extends Submission> S only(Class<S> kind) {
            assertThat(all(kind)).hasSize(1);
            return all(kind).get(0);
        }

        Collection<Run> runs() {
            return answers.stream()
                    .flatMap(answer -> answer.run().stream())
                    .collect(Collectors.toMap(Run::id, run -> run, (a, b) -> a))
                    .values();
        }
    }
}

package io.interlock.engine.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteWork.Proof;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.handler.HttpHandler;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs whose work another service may still do: no other run gets their key. */
@Timeout(60)
class HttpRunTest {

    private static final LockKey KEY = LockKey.of("acme", "invoice");

    private final Environment environment = Environment.system();
    private final MemoryStore store = new MemoryStore(environment);
    private final PinnedHttp http =
            new PinnedHttp(HttpRules.hosts(List.of("127.0.0.1")).networks(List.of("127.0.0.1/32")), environment);

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void theNextRunIsNotSentWhileTheOtherSideMayWorkOnTheOneBefore() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        try (OtherSide other = OtherSide.doing(exchange -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            work(never, Duration.ofMillis(1500));
            now.decrementAndGet();
            exchange.close();
        })) {
            HttpSpec spec = HttpSpec.of(other.url("/")).timeout(Duration.ofMillis(300));
            try (RunEngine engine = engine(job(spec).lease(Duration.ofSeconds(2)))) {
                engine.submit(request());
                Run second = engine.submit(request()).orElseThrow();
                await().until(() -> other.asked.size() == 2);
                assertThat(most).hasValue(1);
                Run ended = engine.awaitEnd(second.id(), Duration.ofSeconds(20)).orElseThrow();
                assertThat(requireNonNull(ended.status().error()).code()).isEqualTo(HttpHandler.HTTP_UNAVAILABLE);
            }
        }
    }

    @Test
    void whatWasAcceptedOutlivesTheEngineThatAskedForIt() throws Exception {
        try (OtherSide other = OtherSide.answering(202, "")) {
            HttpSpec spec = HttpSpec.of(other.url("/")).callback("https://interlock.example/{runId}");
            JobBuilder job = job(spec).retry(new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO));
            RunEngine first = engine(job);
            Run run = first.submit(request()).orElseThrow();
            await().until(() -> other.asked.size() == 1);
            try (RunEngine next = engine(job)) {
                first.close();
                assertThat(next.find(run.id()).orElseThrow().state()).isEqualTo(RunState.RUNNING);
                FinishAnswer answer = next.remote()
                        .finish(proof(run, other.asked.get(0).body()), new Ending.Succeeded("17"))
                        .toCompletableFuture()
                        .get(20, TimeUnit.SECONDS);
                assertThat(answer).isInstanceOf(FinishAnswer.Finished.class);
                assertThat(next.find(run.id()).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
                assertThat(other.asked).hasSize(1);
            }
        }
    }

    @Test
    void cancellingWhatTheOtherSideWorksOnDoesNotOpenItsKeyAtOnce() throws Exception {
        try (OtherSide other = OtherSide.answering(202, "")) {
            HttpSpec spec = HttpSpec.of(other.url("/")).callback("https://interlock.example/{runId}");
            try (RunEngine engine = engine(job(spec))) {
                Run run = engine.submit(request()).orElseThrow();
                await().until(() -> other.asked.size() == 1);
                engine.cancel(run.id(), "olga", "no longer needed");
                await().until(() -> engine.workers().busy() == 0);
                assertThat(engine.find(run.id()).orElseThrow().state()).isEqualTo(RunState.RUNNING);
            }
        }
    }

    @Test
    void whoeverIsNotThereIsAskedAgainAtOnce() throws Exception {
        OtherSide gone = OtherSide.answering(200, "");
        HttpSpec spec = HttpSpec.of(gone.url("/"));
        gone.close();
        try (RunEngine engine = engine(job(spec).retry(new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO)))) {
            Run run = engine.submit(request()).orElseThrow();
            Run ended = engine.awaitEnd(run.id(), Duration.ofSeconds(20)).orElseThrow();
            assertThat(ended.state()).isEqualTo(RunState.DEAD);
        }
    }

    private RunEngine engine(JobBuilder job) {
        return RunEngine.builder(store)
                .environment(environment)
                .jobs(Jobs.of(job.build()))
                .drainTime(Duration.ZERO)
                .build();
    }

    private JobBuilder job(HttpSpec spec) {
        return Job.named("post").onConflict(ConflictPolicy.QUEUE).handler(new HttpHandler(spec, http, environment));
    }

    private static RunRequest request() {
        return RunRequest.of(KEY, "post");
    }

    private static Proof proof(Run run, String asked) {
        LeaseId lease = LeaseId.parse(asked.replaceAll(".*\"leaseId\":\"([^\"]+)\".*", "$1"));
        long token = Long.parseLong(asked.replaceAll(".*\"token\":(\\d+).*", "$1"));
        return new Proof(run.id(), KEY, lease, new FencingToken(token));
    }

    private static void work(CountDownLatch never, Duration time) throws IOException {
        try {
            assertThat(never.await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException over) {
            throw new IOException(over);
        }
    }
}

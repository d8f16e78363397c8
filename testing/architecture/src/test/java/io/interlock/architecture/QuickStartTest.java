package io.interlock.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.StaleTokenException;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the code of the project's pages. {@link SnippetsTest} compares the two. */
class QuickStartTest {

    private final LockKey key = LockKey.of("acme", "ledger/4711");
    private final Locks locks = Locks.open("memory:");
    private final Ledger ledger = new Ledger();
    private final List<LockKey> posted = new ArrayList<>();

    @AfterEach
    void closeLocks() {
        locks.close();
    }

    @Test
    void theFirstLease() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, UTF_8));
        try {
            FirstLease.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(out.toString(UTF_8)).containsPattern("my token is \\d+");
    }

    @Test
    void holdsAKeyWhileItWorks() throws InterruptedException {
        // snippet: acquire
        LockKey key = LockKey.of("acme", "ledger/4711");
        try (Locks locks = Locks.open("memory:")) {
            try (Lease lease = locks.acquire(key, Duration.ofSeconds(5)).orElseThrow()) {
                ledger.append("invoice 17", lease.token());
            }
        }
        // end snippet
        assertThat(ledger.entries()).containsExactly("invoice 17");
    }

    @Test
    void runsATaskOnceOrNamesItsHolder() {
        // snippet: call
        Outcome<String> outcome = locks.call(key, lease -> build(lease));
        String answer = outcome instanceof Outcome.AlreadyRunning<String> busy
                ? busy.refusal().explanation()
                : "built";
        // end snippet
        assertThat(answer).isEqualTo("built");
        try (Lease held = locks.tryAcquire(key).orElseThrow()) {
            LockKey other = held.key();
            assertThat(locks.call(other, lease -> "never")).isInstanceOf(Outcome.AlreadyRunning.class);
        }
    }

    @Test
    void runsAJobOnceAndWaitsForItsEnd() throws InterruptedException {
        // snippet: engine
        Job close = Job.named("nightly-close")
                .onConflict(ConflictPolicy.JOIN)
                .maxRuntime(Duration.ofHours(2))
                .retry(new RetryPlan(3, Duration.ofMinutes(5), 2, Duration.ofMinutes(30)))
                .handler(run -> {
                    run.stage("load");
                    ledger.append("invoice 17", run.token());
                    return "{\"entries\":1}";
                })
                .build();
        try (RunEngine engine =
                RunEngine.builder("memory:").jobs(Jobs.of(close)).build()) {
            Submission answer =
                    engine.submit(RunRequest.of(key, "nightly-close").idempotencyKey("2026-11-15"));
            Run ended = engine.awaitEnd(answer.orElseThrow().id(), Duration.ofSeconds(20))
                    .orElseThrow();
            assertThat(ended.state()).isEqualTo(RunState.SUCCEEDED);
        }
        // end snippet
        assertThat(ledger.entries()).containsExactly("invoice 17");
    }

    @Test
    void reactsToALostLease() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        Runnable stopWork = stopped::countDown;
        // snippet: lost
        Lease lease = locks.tryAcquire(key, LeaseOptions.defaults().ttl(Duration.ofSeconds(3)))
                .orElseThrow();
        lease.onLost(cause -> stopWork.run());
        lease.checkpoint(); // throws LeaseLostException once the lease is lost
        // end snippet
        EvictAnswer answer = locks.evict(key, lease.token(), "operator", "the machine is being drained");
        assertThat(answer).isInstanceOf(EvictAnswer.Evicted.class);
        assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
        lease.close();
    }

    @Test
    void takesSeveralKeysTogether() throws InterruptedException {
        LockKey from = LockKey.of("acme", "account/1");
        LockKey to = LockKey.of("acme", "account/2");
        // snippet: together
        List<LockKey> both = List.of(from, to);
        try (Lease lease = locks.acquireAll(both, Duration.ofSeconds(5), LeaseOptions.defaults())
                .orElseThrow()) {
            lease.tokens().forEach((account, token) -> post(account, token));
        }
        // end snippet
        assertThat(posted).containsExactly(from, to);
    }

    @Test
    void theResourceRefusesAStaleToken() {
        FencingToken first = token();
        FencingToken second = token();
        ledger.append("new holder", second);
        assertThatThrownBy(() -> ledger.append("late writer", first)).isInstanceOf(StaleTokenException.class);
        assertThat(ledger.entries()).containsExactly("new holder");
    }

    private FencingToken token() {
        try (Lease lease = locks.tryAcquire(key).orElseThrow()) {
            return lease.token();
        }
    }

    private void post(LockKey account, FencingToken token) {
        assertThat(locks.validate(account, token)).isTrue();
        posted.add(account);
    }

    private static String build(Lease lease) {
        return "report of " + lease.key();
    }

    /** The resource of the samples: it rejects tokens smaller than the highest it has seen. */
    private final class Ledger {

        private final List<String> entries = new ArrayList<>();
        private FencingToken highest = new FencingToken(1);

        // snippet: resource
        synchronized void append(String entry, FencingToken token) {
            if (highest.isAfter(token)) {
                throw new StaleTokenException(key, token, highest);
            }
            highest = token; // reads must raise it too: the first access of a new holder locks out the old one
            entries.add(entry);
        }
        // end snippet

        synchronized List<String> entries() {
            return List.copyOf(entries);
        }
    }
}

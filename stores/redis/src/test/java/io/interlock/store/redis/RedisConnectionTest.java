package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.asking;
import static io.interlock.store.redis.Leases.release;
import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Broken connections, missing answers, and a stopped Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisConnectionTest {

    private static final LockKey KEY = LockKey.of("ledger");
    private final RedisHarness harness = new RedisHarness();
    private final RedisProcess redis = harness.redis();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void stop() {
        harness.close();
    }

    @Test
    void aRedisThatStandsStillIsUnavailableInTimeAndGrantsNothingWhenItGoesOn() {
        try (RedisStore store = RedisStore.open(redis.url() + "?timeout=500ms", Environment.system())) {
            take(store, "warm-up");
            long asked = calls("evalsha");
            redis.signal("STOP");
            try {
                long before = System.nanoTime();
                assertThatThrownBy(() -> take(store, asking(KEY)))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("did not answer within 500ms");
                assertThat(Duration.ofNanos(System.nanoTime() - before))
                        .isBetween(Duration.ofMillis(450), Duration.ofSeconds(3));
            } finally {
                redis.signal("CONT");
            }
            Awaitility.await("Redis finds the request").until(() -> calls("evalsha") == asked + 1);
            assertThat(store.find(List.of(KEY))).as("the request was too late").containsExactly(Optional.empty());
        }
    }

    @Test
    void anAnswerLostOnTheWayIsAskedForAgainWithTheSameId() {
        try (CuttingProxy proxy = new CuttingProxy(redis.port());
                RedisStore store = RedisStore.open(proxy.url(), Environment.system());
                RedisStore direct = RedisStore.open(redis.url(), Environment.system())) {
            take(store, "warm-up");
            AcquireRequest request = asking(KEY);
            proxy.loseAnswers(1);
            LeaseRecord lease = take(store, request);
            assertThat(proxy.lost()).isEqualTo(1);
            assertThat(take(direct, request).token()).isEqualTo(lease.token());
            assertThat(lease.id()).isEqualTo(request.id());
        }
    }

    @Test
    void aReleaseWhoseAnswerWasLostIsUnclearAndNotCalledLost() {
        try (CuttingProxy proxy = new CuttingProxy(redis.port());
                RedisStore store = RedisStore.open(proxy.url(), Environment.system())) {
            // The script is loaded by then, so that the lost answer is the one of the release.
            release(store, take(store, "warm-up"));
            LeaseRecord lease = take(store, asking(KEY));
            proxy.loseAnswers(1);
            assertThatThrownBy(() -> release(store, lease))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("not known");
            assertThat(proxy.lost()).isEqualTo(1);
            assertThat(release(store, lease)).isEqualTo(new ReleaseAnswer.Gone(null));
        }
    }

    @Test
    void ifNoAnswerComesTheOutcomeIsUnknownAndAskingLaterWithTheSameIdTellsIt() {
        try (CuttingProxy proxy = new CuttingProxy(redis.port());
                RedisStore store = RedisStore.open(proxy.url(), Environment.system())) {
            LeaseRecord first = take(store, "warm-up");
            AcquireRequest request = asking(KEY);
            proxy.loseAnswers(1000);
            assertThatThrownBy(() -> take(store, request)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> release(store, first)).isInstanceOf(StoreUnavailableException.class);
            proxy.loseAnswers(0);
            LeaseRecord lease = take(store, request);
            assertThat(store.find(List.of(KEY)).get(0).orElseThrow().token()).isEqualTo(lease.token());
            assertThat(lease.grantedAt()).isBefore(lease.observedAt());
        }
    }

    @Test
    void anInterruptDoesNotCutAStepShortAndIsKept() {
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system())) {
            Thread.currentThread().interrupt();
            LeaseRecord lease = take(store, asking(KEY));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    @Test
    void closingWorksUnderAnInterrupt() {
        RedisStore store = RedisStore.open(redis.url(), Environment.system());
        Thread.currentThread().interrupt();
        store.close();
        assertThat(Thread.interrupted()).isTrue();
        Awaitility.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("interlock-redis")));
    }

    @Test
    void aFullRedisGrantsNothingButRenewsAndTakesBack() {
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system())) {
            LeaseRecord lease = take(store, asking(KEY));
            redis.admin(commands -> commands.configSet("maxmemory", "1mb"));
            try {
                assertThatThrownBy(() -> take(store, "another"))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("OOM");
                RenewRequest renewal = new RenewRequest(KEY, lease.id(), lease.token(), Leases.TTL.plusSeconds(1));
                assertThat(store.renew(List.of(renewal)).only()).isInstanceOf(RenewAnswer.Renewed.class);
                assertThat(release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            } finally {
                redis.admin(commands -> commands.configSet("maxmemory", "0"));
            }
            assertThat(take(store, asking(KEY)).token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void connectionsKilledByAnAdministratorAreMadeAnew() {
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system())) {
            LeaseRecord lease = take(store, asking(KEY));
            redis.admin(commands -> commands.clientKill(KillArgs.Builder.typeNormal()));
            assertThat(release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    @Test
    void watchersAreWokenAfterTheirConnectionWasKilledAndServedAgain() throws InterruptedException {
        Semaphore woken = new Semaphore(0);
        Semaphore other = new Semaphore(0);
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system());
                Subscription first = store.changes().watch(KEY, woken::release);
                Subscription second = store.changes().watch(LockKey.of("other"), other::release)) {
            assertThat(first).isNotSameAs(second);
            // The second watcher may have subscribed after the wake-up, so only the first certainly gets it.
            awaitWake(woken);
            other.drainPermits();
            redis.admin(commands -> commands.clientKill(KillArgs.Builder.typePubsub()));
            awaitWake(woken);
            awaitWake(other);
            releaseBeforeAWaiter(store);
            awaitWake(woken);
            // Messages arrive in order: by now the wake-ups of the new connection are over.
            other.drainPermits();
            releaseBeforeAWaiter(store);
            awaitWake(woken);
            assertThat(other.availablePermits()).isZero();
        }
    }

    @Test
    void aReleaseIsAnnouncedOnlyIfSomebodyWaits() {
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system())) {
            long before = calls("publish");
            LeaseRecord lease = take(store, asking(KEY));
            Leases.refusal(store, asking(KEY));
            release(store, lease);
            assertThat(calls("publish")).isEqualTo(before);
            lease = take(store, asking(KEY));
            Leases.refusal(store, asking(KEY).waiting());
            release(store, lease);
            assertThat(calls("publish")).isEqualTo(before + 1);
        }
    }

    @Test
    void theMarkOfWhoWaitsIsWrittenSeldom() {
        try (RedisStore store = RedisStore.open(redis.url(), Environment.system())) {
            take(store, asking(KEY));
            Leases.refusal(store, asking(KEY).waiting());
            assertThat(harness.writesNothing(
                            () -> Leases.refusal(store, asking(KEY).waiting())))
                    .isTrue();
        }
    }

    private static void releaseBeforeAWaiter(RedisStore store) {
        LeaseRecord lease = take(store, asking(KEY));
        Leases.refusal(store, asking(KEY).waiting());
        release(store, lease);
    }

    private static void awaitWake(Semaphore woken) throws InterruptedException {
        assertThat(woken.tryAcquire(10, TimeUnit.SECONDS)).as("woken").isTrue();
        woken.drainPermits();
    }

    private long calls(String command) {
        String stats = redis.admin(commands -> commands.info("commandstats"));
        Matcher matcher =
                Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}

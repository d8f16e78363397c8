package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.TTL;
import static io.interlock.store.redis.Leases.refusal;
import static io.interlock.store.redis.Leases.release;
import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.Refusal.StoreRecovering;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl.StoreSettings;
import io.interlock.spi.TokenLayout;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Redis restarts without its last leases, without any, or with an unknown loss. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisDataLossTest {

    private static final Namespace NAMESPACE = Namespace.of("interlock");
    private static final Duration MAX_LEASE = StoreSettings.DEFAULT_MAX_LEASE;

    private RedisProcess redis = RedisProcess.start(RedisProcess.FORGETFUL);

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aRestartWithoutPersistenceIsFollowedByAQuietPeriodAndLargerTokens() {
        reset();
        try (RedisStore store = open()) {
            LeaseRecord before = take(store, "ledger");
            redis.kill();
            redis.start();
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void aNewClientOfARestartedEmptyRedisWaitsTooThoughItRemembersNothing() {
        reset();
        LeaseRecord before;
        try (RedisStore store = open()) {
            store.bumpEpoch("an epoch that will be forgotten");
            advance(MAX_LEASE);
            before = take(store, "ledger");
        }
        redis.kill();
        redis.start();
        try (RedisStore store = open()) {
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void aRestartFromASnapshotIsFollowedByAQuietPeriodBecauseTheLastLeasesMayBeMissing() {
        reset();
        try (RedisStore store = open()) {
            redis.admin(commands -> commands.save());
            LeaseRecord unsaved = take(store, "ledger");
            redis.kill();
            redis.start();
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
            assertThat(release(store, unsaved)).isEqualTo(new ReleaseAnswer.Gone(null));
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(unsaved.token());
        }
    }

    @Test
    void aRestartThatLosesNothingGoesOnAtOnce() {
        restartedWith(RedisProcess.DURABLE);
        reset();
        try (RedisStore store = open()) {
            LeaseRecord held = take(store, "held");
            redis.kill();
            redis.start();
            assertThat(refusal(store, "held")).isInstanceOf(Refusal.Held.class);
            assertThat(take(store, "free").token()).isGreaterThan(held.token());
        }
    }

    @Test
    void aRestartAfterWritingEverySecondMayHaveLostTheLastLeases() {
        restartedWith(List.of("--appendonly", "yes", "--appendfsync", "everysec"));
        reset();
        try (RedisStore store = open()) {
            take(store, "held");
            redis.kill();
            redis.start();
            assertQuiet(refusal(store, "free"), MAX_LEASE);
        }
    }

    @Test
    void aRedisThatBecameSafeWithItsRestartMayHaveLostLeasesBefore() {
        restartedWith(List.of("--appendonly", "yes", "--appendfsync", "everysec"));
        reset();
        try (RedisStore store = open()) {
            take(store, "held");
            redis.kill();
            redis.startWith(RedisProcess.DURABLE);
            assertQuiet(refusal(store, "free"), MAX_LEASE);
        }
    }

    @Test
    void aFlushUnderOurFeetIsFollowedByAQuietPeriod() {
        reset();
        try (RedisStore store = open()) {
            LeaseRecord before = take(store, "ledger");
            redis.admin(commands -> commands.flushall());
            assertThat(store.renew(List.of(new RenewRequest(before.key(), before.id(), before.token(), TTL)))
                            .only())
                    .isEqualTo(new RenewAnswer.Lost(LossCause.GONE, null));
            assertThat(release(store, before)).isEqualTo(new ReleaseAnswer.Gone(null));
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void aFlushIsSeenByClientsThatComeLater() {
        reset();
        redis.admin(commands -> commands.flushall());
        // firstUse does not help: the flush is detected.
        try (RedisStore store = RedisStore.open(redis.url() + "?firstUse=true&maxLease=2s", Environment.system())) {
            assertThat(store.bumpEpoch("to see the time")).isNotNull();
            assertThat(epoch()).isGreaterThan(weeksSince2025());
        }
    }

    @Test
    void aFreshRedisIsQuietUntilItHasRunForAsLongAsALeaseLastsAtMost() {
        try (RedisStore store = open()) {
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
        }
        redis.admin(commands -> commands.del("{interlock}:store"));
        try (RedisStore store = RedisStore.open(redis.url() + "?firstUse=true", Environment.system())) {
            assertThat(take(store, "ledger").token().value() >> TokenLayout.LOW_BITS)
                    .isEqualTo(weeksSince2025());
        }
    }

    @Test
    void tokensRiseEvenIfAllWasLostLongAgoAndNoClientRemembers() {
        String url = redis.url() + "?maxLease=2s";
        LeaseRecord before;
        try (RedisStore store = RedisStore.open(url, Environment.system())) {
            advance(Duration.ofSeconds(2));
            before = take(store, "ledger", Duration.ofSeconds(2));
        }
        redis.kill();
        redis.start();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> redis.uptimeSeconds() > 4);
        try (RedisStore store = RedisStore.open(url, Environment.system())) {
            assertThat(take(store, "ledger", Duration.ofSeconds(2)).token()).isGreaterThan(before.token());
        }
    }

    @Test
    void aBackupInPlaceOfTheDataIsNoticedByClientsThatRememberALaterEpoch() throws IOException {
        restartedWith(RedisProcess.DURABLE);
        reset();
        try (RedisStore store = open()) {
            take(store, "other");
            Path backup = redis.backUp();
            store.bumpEpoch("not in the backup");
            advance(MAX_LEASE);
            LeaseRecord before = take(store, "ledger");
            redis.kill();
            redis.restore(backup);
            redis.start();
            assertQuiet(refusal(store, "ledger"), MAX_LEASE);
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void aClientRemembersTheLongestLeaseAndTheEpochThatOthersBegan() {
        reset();
        Duration longer = MAX_LEASE.multipliedBy(2);
        try (RedisStore store = open();
                RedisStore other = RedisStore.open(redis.url() + "?maxLease=10m", Environment.system())) {
            redis.admin(commands -> commands.hset("{interlock}:store", "epoch", "500"));
            other.bumpEpoch("which the first client did not begin");
            advance(longer);
            LeaseRecord before = take(other, "ledger", longer);
            take(store, "another");
            redis.admin(commands -> commands.flushall());
            assertQuiet(refusal(store, "ledger"), longer);
            advance(longer);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void forgottenScriptsAreSentAgainWithoutAQuietPeriod() {
        reset();
        try (RedisStore store = open()) {
            LeaseRecord lease = take(store, "ledger");
            redis.admin(commands -> commands.scriptFlush());
            assertThat(release(store, lease)).isInstanceOf(ReleaseAnswer.Released.class);
            assertThat(take(store, "ledger").token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void aClientThatRemembersALaterEpochThanTheRecordRaisesIt() {
        reset();
        try (RedisStore store = open()) {
            redis.admin(commands -> commands.hset("{interlock}:store", "epoch", "500"));
            store.bumpEpoch("to remember it");
            advance(MAX_LEASE);
            LeaseRecord before = take(store, "ledger");
            redis.admin(commands -> commands.hset("{interlock}:store", "epoch", "1"));
            redis.admin(commands -> commands.hset("{interlock}:store", "run_id", "0000"));
            assertQuiet(refusal(store, "other"), MAX_LEASE);
            assertThat(epoch()).isEqualTo(502);
            advance(MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(before.token());
        }
    }

    @Test
    void tokensOfLateEpochsAreExactToTheLastBit() {
        reset();
        long high = (1500L << TokenLayout.LOW_BITS) + 987_654_321_987L;
        redis.admin(commands -> commands.hset("{interlock}:store", "floor", Long.toString(high)));
        try (RedisStore store = open()) {
            LeaseRecord first = take(store, "ledger");
            assertThat(first.token()).isEqualTo(new FencingToken(high + 1));
            release(store, first);
            assertThat(take(store, "ledger").token()).isEqualTo(new FencingToken(high + 2));
            Instant until = store.bumpEpoch("above all tokens");
            assertThat(until).isNotNull();
            assertThat(epoch()).isEqualTo(1501);
        }
    }

    private RedisStore open() {
        return RedisStore.open(redis.url(), Environment.system());
    }

    private void restartedWith(List<String> settings) {
        redis.close();
        redis = RedisProcess.start(settings);
    }

    private void reset() {
        redis.run("reset.lua", NAMESPACE, Long.toString(TimeUnit.MICROSECONDS.convert(MAX_LEASE)));
    }

    private void advance(Duration time) {
        redis.run("advance.lua", NAMESPACE, Long.toString(TimeUnit.MICROSECONDS.convert(time)));
    }

    private long epoch() {
        return Long.parseLong(redis.admin(commands -> commands.hget("{interlock}:store", "epoch")));
    }

    private static long weeksSince2025() {
        return Duration.between(
                                Instant.ofEpochMilli(TokenLayout.ORIGIN_MILLIS),
                                Environment.system().clock().instant())
                        .toDays()
                / 7;
    }

    private static void assertQuiet(Refusal refusal, Duration length) {
        assertThat(refusal).isInstanceOf(StoreRecovering.class);
        assertThat(refusal.retryAfter().toSeconds()).isCloseTo(length.toSeconds(), within(10L));
    }
}

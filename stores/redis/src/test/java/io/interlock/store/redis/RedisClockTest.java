package io.interlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clocks of Redis and of its client diverge; a request must not count as late because of that. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisClockTest {

    private final RedisHarness harness = new RedisHarness();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void stop() {
        harness.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {-7200, -6, -4, 4, 6, 7200})
    void aJumpOfTheClockOfRedisAgainstItsClientsCostsNoAnswer(long seconds) {
        JumpingTicker jumping = new JumpingTicker();
        try (RedisStore store = RedisStore.open(harness.redis().url(), jumping)) {
            LeaseRecord lease = Leases.take(store, "ledger");
            jumping.by.addAndGet(Duration.ofSeconds(seconds).toNanos());
            RenewRequest renewal = new RenewRequest(lease.key(), lease.id(), lease.token(), Leases.TTL);
            assertThat(store.renew(List.of(renewal)).only()).isInstanceOf(RenewAnswer.Renewed.class);
            jumping.by.addAndGet(Duration.ofSeconds(-2 * seconds).toNanos());
            Leases.refusal(store, "ledger");
            Leases.release(store, lease);
            assertThat(Leases.take(store, Leases.asking(LockKey.of("ledger"))).token())
                    .isGreaterThan(lease.token());
        }
    }

    /** To such a client the clock of Redis seems to jump in the other direction. */
    private static final class JumpingTicker implements Environment {

        private final Environment real = Environment.system();
        private final AtomicLong by = new AtomicLong();

        @Override
        public InstantSource clock() {
            return real.clock();
        }

        @Override
        public Ticker ticker() {
            return () -> real.ticker().nanos() + by.get();
        }

        @Override
        public Timers timers(String name) {
            return real.timers(name);
        }

        @Override
        public ThreadFactory threads(String name) {
            return real.threads(name);
        }

        @Override
        public RandomGenerator random() {
            return real.random();
        }
    }
}

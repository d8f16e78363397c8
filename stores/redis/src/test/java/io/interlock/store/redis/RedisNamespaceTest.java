package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.asking;
import static io.interlock.store.redis.Leases.release;
import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.time.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Names in Redis: order, separation, and no leftovers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisNamespaceTest {

    private final RedisHarness harness = new RedisHarness();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void stop() {
        harness.close();
    }

    @Test
    void leasesAreListedInTheOrderOfTheirKeysWhateverTheTenants() {
        Set<LockKey> keys = new TreeSet<>();
        for (String tenant : List.of("a1", "a.b", "a-b", "a", "A", "aa", "a_b", "B")) {
            for (String name : List.of("x", "x,y", "x:y", "é", "\uD83D\uDE00", "\uFFFD", "x/y")) {
                keys.add(LockKey.of(tenant, name));
            }
        }
        try (RedisStore store = open("interlock")) {
            keys.forEach(key -> take(store, asking(key)));
            assertThat(keysByPagesOf(store, 5, LeaseQuery.all())).containsExactlyElementsOf(keys);
            for (String tenant : List.of("a", "a-b", "A")) {
                assertThat(keysByPagesOf(store, 2, LeaseQuery.ofTenant(tenant)))
                        .containsExactlyElementsOf(keys.stream()
                                .filter(key -> key.tenant().equals(tenant))
                                .toList());
            }
            LeaseQuery beginningWithX = new LeaseQuery("a", "x", LockKey.of("A", "zzz"), 3);
            assertThat(keysByPagesOf(store, 3, beginningWithX))
                    .containsExactlyElementsOf(keys.stream()
                            .filter(key ->
                                    key.tenant().equals("a") && key.name().startsWith("x"))
                            .toList());
        }
    }

    @Test
    void aListGoesOnBeyondWhatOneScriptLooksAt() {
        try (RedisStore store = open("interlock")) {
            List<LockKey> keys = new ArrayList<>();
            for (int i = 0; i < 2100; i++) {
                keys.add(LockKey.of("acme", String.format("k%05d", i)));
            }
            store.tryAcquire(keys.stream().map(Leases::asking).toList());
            harness.advance(Leases.TTL);
            take(store, asking(keys.get(2099)));
            take(store, asking(keys.get(0)));
            assertThat(store.list(LeaseQuery.all()).leases())
                    .extracting(LeaseRecord::key)
                    .containsExactly(keys.get(0), keys.get(2099));
            assertThat(store.sweep(3000)).hasSize(2098);
            assertThat(store.sweep(3000)).isEmpty();
        }
    }

    @Test
    void storesOfDifferentPrefixesDoNotMeet() {
        try (RedisStore one = open("interlock");
                RedisStore other =
                        RedisStore.open(harness.redis().url() + "?prefix=other&firstUse=true", Environment.system())) {
            take(one, "ledger");
            take(other, "ledger");
            assertThat(other.list(LeaseQuery.all()).leases()).hasSize(1);
            one.bumpEpoch("of one only");
            take(other, "another");
        }
    }

    @Test
    void nothingButTheStoreRecordIsLeftWhenAllIsReleasedOrSwept() {
        try (RedisStore store = open("interlock")) {
            LeaseRecord released = take(store, "released");
            release(store, released);
            LeaseRecord abandoned = take(store, "abandoned");
            harness.advance(Leases.TTL);
            assertThat(store.sweep(10)).extracting(LeaseRecord::token).containsExactly(abandoned.token());
            List<String> left = harness.redis().admin(commands -> commands.keys("{interlock}*"));
            assertThat(left).containsExactly("{interlock}:store");
            assertThat(take(store, "abandoned").token()).isGreaterThan(abandoned.token());
            assertThat(take(store, "released").token()).isGreaterThan(released.token());
        }
    }

    @Test
    void noKeyOfOursEverTimesOutInRedis() {
        try (RedisStore store = open("interlock")) {
            take(store, "ledger");
            List<String> keys = harness.redis().admin(commands -> commands.keys("{interlock}*"));
            assertThat(keys).hasSize(4).allSatisfy(key -> {
                long ttl = harness.redis().admin(commands -> commands.pttl(key));
                assertThat(ttl).as(key).isEqualTo(-1);
            });
        }
    }

    private RedisStore open(String prefix) {
        return RedisStore.open(harness.redis().url() + "?prefix=" + prefix, Environment.system());
    }

    private static List<LockKey> keysByPagesOf(RedisStore store, int limit, LeaseQuery query) {
        List<LockKey> keys = new ArrayList<>();
        LockKey after = query.after();
        do {
            LeasePage page = store.list(new LeaseQuery(query.tenant(), query.namePrefix(), after, limit));
            page.leases().forEach(lease -> keys.add(lease.key()));
            after = page.next();
        } while (after != null);
        return keys;
    }
}

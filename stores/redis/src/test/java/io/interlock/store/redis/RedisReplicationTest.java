package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.refusal;
import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal.StoreRecovering;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.StoreUrl.StoreSettings;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary with a replica, and the promotion of the replica. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisReplicationTest {

    private final RedisHarness harness = new RedisHarness();
    private final RedisProcess primary = harness.redis();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    @Test
    void aGrantThatTooFewReplicasHaveIsTakenBack() {
        try (RedisStore store = open("?waitReplicas=1")) {
            assertThatThrownBy(() -> take(store, "ledger"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("0 replicas");
            assertThat(store.find(List.of(LockKey.of("ledger")))).containsExactly(Optional.empty());
        }
    }

    @Test
    void aGrantThatTheReplicaHasCountsAlsoWhenItIsAskedForAgain() {
        try (RedisProcess replica = replica();
                RedisStore store = open("?waitReplicas=1")) {
            AcquireRequest request = Leases.asking(LockKey.of("ledger"));
            // A replica on a slow disk may need longer than a grant waits for it.
            LeaseRecord lease = Awaitility.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> take(store, request), Objects::nonNull);
            String copied = replica.admin(commands -> commands.hget("{interlock}:l:default,ledger", "token"));
            assertThat(copied).isEqualTo(lease.token().toString());
            replica.signal("STOP");
            try (RedisStore another = open("?waitReplicas=1&timeout=2s")) {
                assertThatThrownBy(() -> take(another, request)).isInstanceOf(StoreUnavailableException.class);
            }
            assertThat(store.find(List.of(lease.key())).get(0))
                    .as("an earlier grant is not released")
                    .isPresent();
        }
    }

    @Test
    void aReplicaThatBecamePrimaryIsQuietThoughItWritesEverythingToDisk() {
        try (RedisProcess replica = replica()) {
            LeaseRecord lost;
            try (RedisStore store = open("")) {
                Awaitility.await()
                        .until(() -> "1"
                                .equals(replica.admin(commands -> commands.hget("{interlock}:store", "replicated"))));
                replica.signal("STOP");
                lost = take(store, "ledger");
            }
            primary.kill();
            // Promoted and then restarted before a client connected: it looks like a primary that lost nothing.
            replica.signal("CONT");
            replica.kill();
            replica.startWith(RedisProcess.DURABLE);
            try (RedisStore store = RedisStore.open(replica.url(), Environment.system())) {
                assertThat(refusal(store, "ledger")).isInstanceOf(StoreRecovering.class);
                replica.run(
                        "advance.lua",
                        Namespace.of("interlock"),
                        Long.toString(TimeUnit.MICROSECONDS.convert(StoreSettings.DEFAULT_MAX_LEASE)));
                assertThat(take(store, "ledger").token()).isGreaterThan(lost.token());
            }
        }
    }

    @Test
    void aPrimaryThatBecomesAReplicaIsUnavailableToItsClients() {
        try (RedisProcess other = RedisProcess.start(RedisProcess.FORGETFUL);
                RedisStore store = open("?timeout=2s")) {
            take(store, "ledger");
            primary.admin(commands -> commands.replicaof("127.0.0.1", other.port()));
            assertThatThrownBy(() -> take(store, "another")).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aRestartOfAPrimaryThatHadReplicasIsNotTakenForHarmless() {
        try (RedisProcess replica = replica();
                RedisStore store = open("")) {
            assertThat(replica.port()).isNotEqualTo(primary.port());
            store.sweep(1);
            replica.kill();
            harness.crash();
            assertThat(refusal(store, "ledger")).isInstanceOf(StoreRecovering.class);
        }
    }

    @Test
    void aPrimaryThatWasAReplicaMeanwhileIsQuietThoughItIsTheSameProcess() {
        try (RedisProcess other = replica();
                RedisStore store = open("")) {
            other.admin(commands -> commands.replicaofNoOne());
            LeaseRecord lost = take(store, "ledger");
            primary.admin(commands -> commands.replicaof("127.0.0.1", other.port()));
            awaitLink(primary);
            primary.admin(commands -> commands.replicaofNoOne());
            assertThat(refusal(store, "ledger")).as("it lost a live lease").isInstanceOf(StoreRecovering.class);
            try (RedisStore newcomer = open("")) {
                assertThat(refusal(newcomer, "ledger")).isInstanceOf(StoreRecovering.class);
            }
            harness.advance(StoreSettings.DEFAULT_MAX_LEASE);
            assertThat(take(store, "ledger").token()).isGreaterThan(lost.token());
        }
    }

    @Test
    void aPrimaryGoesOnWhenItsFirstReplicaComes() {
        try (RedisStore store = open("")) {
            take(store, "before");
            try (RedisProcess replica = replica()) {
                assertThat(replica.port()).isNotEqualTo(primary.port());
                take(store, "after");
            }
        }
    }

    private RedisStore open(String options) {
        return RedisStore.open(primary.url() + options, Environment.system());
    }

    private RedisProcess replica() {
        RedisProcess replica = RedisProcess.start(List.of(
                "--replicaof", "127.0.0.1 " + primary.port(), "--appendonly", "yes", "--appendfsync", "always"));
        awaitLink(replica);
        return replica;
    }

    private static void awaitLink(RedisProcess replica) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(20))
                .until(() ->
                        replica.admin(commands -> commands.info("replication")).contains("master_link_status:up"));
    }
}

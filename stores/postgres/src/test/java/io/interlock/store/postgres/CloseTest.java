package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseRecord;
import io.interlock.StoreUnavailableException;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CloseTest {

    @Test
    void aClosedStoreLeavesNoThreadAndNoConnectionAndKeepsItsLeases() {
        PostgresHarness harness = new PostgresHarness();
        PostgresServer server = harness.server();
        LeaseStore store = harness.open(Environment.system());
        AtomicInteger looks = new AtomicInteger();
        store.changes().watch(Bench.key("k"), looks::incrementAndGet);
        await().until(() -> looks.get() >= 1);
        LeaseRecord lease = Bench.take(store, "k");
        try (LeaseStore waiting = harness.open(Environment.system())) {
            Bench.ask(waiting, Bench.asking("k").waiting());
        }
        Bench.release(store, lease);
        Bench.take(store, "k");
        String connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'interlock'";
        await().untilAsserted(() ->
                assertThat(Integer.parseInt(server.ask(connections))).isBetween(4, 7));

        store.close();
        store.close();
        await().until(() -> server.ask(connections).equals("0"));
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("interlock-postgres")));
        assertThatThrownBy(() -> Bench.take(store, "k"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("is closed");
        assertThat(server.ask("SELECT count(*) FROM " + harness.table("lease") + " WHERE lease_id IS NOT NULL"))
                .isEqualTo("1");
        harness.close();
    }

    /** The thread that sends wake-ups calls watchers of this process, too. */
    @Test
    void aWatcherThatClosesTheStoreDoesNotWaitForItself() {
        PostgresHarness harness = new PostgresHarness();
        LeaseStore store = Stores.open(harness.url("timeout=30s"));
        CompletableFuture<String> closed = new CompletableFuture<>();
        store.changes().watch(Bench.key("k"), () -> {
            String thread = Thread.currentThread().getName();
            if (thread.startsWith("interlock-postgres-announcer")) {
                store.close();
                closed.complete(thread);
            }
        });
        LeaseRecord lease = Bench.take(store, "k");
        store.evict(new EvictRequest(lease.key(), lease.token(), "carol", "stuck"));
        assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
        harness.close();
    }
}

package io.interlock.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import io.interlock.LockKey;
import io.interlock.servers.EtcdCluster;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Processes that wait while their cluster dies again and again. */
class EtcdWaitersTest {

    private static final int KILLS = 6;

    @Test
    void aPlaceIsTakenAgainOnceAfterEachOutageAndNotByMoreRequestsEachTime() {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        try (EtcdCluster cluster = EtcdCluster.start(1);
                Client client = Client.builder()
                        .endpoints(cluster.endpoints().toArray(String[]::new))
                        .waitForReady(true)
                        .build();
                LeaseStore store = Stores.open(cluster.url());
                ChangeFeed.Subscription waiting = store.changes().watch(LockKey.of("acme", "k"), () -> {})) {
            assertThat(waiting).isNotNull();
            await(client, 1);
            for (int i = 0; i < KILLS; i++) {
                long before = taken(client);
                cluster.kill();
                cluster.start();
                await(client, before + 1);
            }
            assertThat(taken(client)).isLessThan(4 * KILLS);
        }
    }

    private static void await(Client client, long times) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> taken(client) >= times);
    }

    /** How often the place was put. */
    private static long taken(Client client) {
        List<KeyValue> places = client.getKVClient()
                .get(
                        Etcd.text("interlock/wait/"),
                        GetOption.builder().isPrefix(true).build())
                .join()
                .getKvs();
        return places.isEmpty() ? 0 : places.get(0).getVersion();
    }
}

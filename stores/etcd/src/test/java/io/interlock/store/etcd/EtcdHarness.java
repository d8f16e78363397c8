package io.interlock.store.etcd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.interlock.servers.EtcdCluster;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreUrl;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A cluster of three members. Its clock cannot be moved, so every lease of etcd is replaced by one that ends sooner, or
 * revoked.
 */
final class EtcdHarness implements StoreHarness {

    private static final ByteSequence ALL = Etcd.text("interlock/");

    private final EtcdCluster cluster;
    private final Client client;

    EtcdHarness() {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        cluster = EtcdCluster.start(3);
        client = Client.builder()
                .endpoints(cluster.endpoints().toArray(String[]::new))
                .waitForReady(true)
                .build();
    }

    @Override
    public LeaseStore open(Environment environment) {
        return new EtcdStoreFactory().open(StoreUrl.parse(cluster.url()), environment);
    }

    @Override
    public void advance(Duration time) {
        Map<Long, Long> shorter = new HashMap<>();
        for (KeyValue value : join(client.getKVClient()
                        .get(ALL, GetOption.builder().isPrefix(true).build()))
                .getKvs()) {
            if (value.getLease() == 0 || Etcd.string(value.getKey()).startsWith("interlock/wait/")) {
                continue;
            }
            long left = join(client.getLeaseClient().timeToLive(value.getLease(), LeaseOption.DEFAULT))
                            .getTTL()
                    - time.toSeconds();
            if (left > 0) {
                long lease = shorter.computeIfAbsent(
                        value.getLease(),
                        old -> join(client.getLeaseClient().grant(left)).getID());
                join(client.getKVClient()
                        .put(
                                value.getKey(),
                                value.getValue(),
                                PutOption.builder().withLeaseId(lease).build()));
            } else {
                join(client.getKVClient().delete(value.getKey()));
            }
        }
    }

    @Override
    public void reset() {
        join(client.getKVClient()
                .delete(ALL, DeleteOption.builder().isPrefix(true).build()));
    }

    @Override
    public Optional<String> url() {
        return Optional.of(cluster.url());
    }

    @Override
    public boolean crash() {
        cluster.kill();
        cluster.start();
        return true;
    }

    @Override
    public boolean loseData() {
        cluster.kill();
        cluster.deleteData();
        cluster.start();
        return true;
    }

    @Override
    public OptionalLong writes() {
        return OptionalLong.of(join(client.getKVClient().get(Etcd.text("interlock/store")))
                .getHeader()
                .getRevision());
    }

    @Override
    public void close() {
        client.close();
        cluster.close();
    }

    private static <T> T join(CompletableFuture<T> answer) {
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }
}

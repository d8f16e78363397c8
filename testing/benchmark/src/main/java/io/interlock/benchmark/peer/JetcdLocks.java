package io.interlock.benchmark.peer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lock.LockResponse;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The lock of etcd itself by its Java driver: all locks of a client have one lease, which the driver renews. */
public final class JetcdLocks implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "jetcd lock";

    private static final long LEASE_SECONDS = 30;

    private final List<String> members;
    private final Client client;
    private final long lease;
    private @Nullable JetcdLocks other;

    private JetcdLocks(List<String> members) throws ExecutionException, InterruptedException {
        this.members = members;
        this.client = Client.builder()
                .endpoints(members.toArray(String[]::new))
                .waitForReady(true)
                .build();
        this.lease = client.getLeaseClient().grant(LEASE_SECONDS).get().getID();
        client.getLeaseClient().keepAlive(lease, new StreamObserver<LeaseKeepAliveResponse>() {
            @Override
            public void onNext(LeaseKeepAliveResponse renewed) {}

            @Override
            public void onError(Throwable ended) {}

            @Override
            public void onCompleted() {}
        });
    }

    /** Opens it. */
    public static JetcdLocks open(List<String> members) throws ExecutionException, InterruptedException {
        return new JetcdLocks(members);
    }

    @Override
    public Held take(String key) throws ExecutionException, InterruptedException {
        LockResponse lock = client.getLockClient().lock(text(key), lease).get();
        return () -> client.getLockClient().unlock(lock.getKey()).get();
    }

    @Override
    public boolean isRefused(String key) throws ExecutionException, InterruptedException {
        try {
            client.getLockClient().lock(text(key), lease).get(1, TimeUnit.SECONDS);
            return false;
        } catch (TimeoutException held) {
            return true;
        }
    }

    @Override
    public void holdElsewhere(Collection<String> keys) throws ExecutionException, InterruptedException {
        JetcdLocks elsewhere = open(members);
        other = elsewhere;
        for (String key : keys) {
            elsewhere.take(key);
        }
    }

    @Override
    public void close() {
        client.close();
        if (other != null) {
            other.close();
        }
    }

    private static ByteSequence text(String key) {
        return ByteSequence.from(key, StandardCharsets.UTF_8);
    }
}

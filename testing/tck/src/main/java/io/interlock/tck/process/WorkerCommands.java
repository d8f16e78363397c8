package io.interlock.tck.process;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The commands of a {@link LockWorker}, each answered in one line. */
final class WorkerCommands {

    private static final Duration TURN_WAIT = Duration.ofSeconds(50);

    private LeaseStore store;
    private volatile Locks locks;
    private @Nullable Proof proof;
    private @Nullable Lease lease;
    private volatile @Nullable LossCause lost;

    /** The data needed to renew and release. */
    private record Proof(LockKey key, LeaseId id, FencingToken token) {
        @Override
        public String toString() {
            return "granted " + token + " " + id;
        }
    }

    /** Opens the store at {@code url}. */
    WorkerCommands(String url) {
        store = Stores.open(url);
        locks = locks();
    }

    private Locks locks() {
        return Locks.builder(store).pollEvery(Duration.ofMillis(200)).build();
    }

    String open(String url) {
        store = Stores.open(url);
        locks = locks();
        return "ready";
    }

    String take(String key, Duration ttl) {
        Holder holder = new Holder("worker/" + ProcessHandle.current().pid(), "a worker process");
        AcquireRequest request = AcquireRequest.of(
                LockKey.decode(key), LeaseId.random(Environment.system().random()), holder, ttl);
        AcquireAnswer answer = store.tryAcquire(List.of(request)).only();
        if (answer instanceof AcquireAnswer.Granted granted) {
            LeaseRecord taken = granted.grants().get(0).lease();
            return granted(new Proof(taken.key(), taken.id(), taken.token()));
        }
        return "refused " + ((AcquireAnswer.Refused) answer).refusal().explanation();
    }

    String hold(String key, Duration ttl) {
        return held(
                locks.tryAcquire(LockKey.decode(key), LeaseOptions.defaults().ttl(ttl)));
    }

    String await(String key, Duration ttl, Duration maxWait) throws InterruptedException {
        return held(locks.acquire(
                LockKey.decode(key), maxWait, LeaseOptions.defaults().ttl(ttl)));
    }

    String state() {
        Lease mine = lease;
        if (mine != null && mine.isHeld()) {
            return "held";
        }
        return "lost " + lost;
    }

    String renew() {
        Proof mine = proved();
        RenewAnswer answer = store.renew(
                        List.of(new RenewRequest(mine.key(), mine.id(), mine.token(), Duration.ofSeconds(30))))
                .only();
        return answer instanceof RenewAnswer.Lost loss ? "lost " + loss.cause() : "renewed";
    }

    String release() {
        Proof mine = proved();
        ReleaseAnswer answer = store.release(List.of(new ReleaseRequest(mine.key(), mine.id(), mine.token())))
                .only();
        return answer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    String finish() {
        if (lease == null) {
            throw new IllegalStateException("the library holds nothing");
        }
        return lease.release().name();
    }

    /** Ends gracefully: grants nothing more, and waits for the work. */
    void close() {
        locks.close();
    }

    String write(String file) throws IOException {
        return new FencedCounter(Path.of(file)).add(proved().token(), 1) ? "written" : "stale";
    }

    String count(String key, int turns, String file) throws IOException, InterruptedException {
        PlainCounter counter = new PlainCounter(Path.of(file));
        for (int i = 0; i < turns; i++) {
            try (Lease turn = locks.acquire(LockKey.decode(key), TURN_WAIT).orElseThrow()) {
                counter.increment();
                turn.checkpoint();
            }
        }
        return "counted " + turns;
    }

    String rest(String number) {
        Lease mine = lease;
        if (mine != null) {
            mine.release();
        }
        lease = null;
        proof = null;
        lost = null;
        locks.close();
        store.close();
        return "rested " + number;
    }

    private String held(Acquisition acquisition) {
        if (acquisition instanceof Acquisition.Refused refused) {
            return "refused " + refused.refusal().explanation();
        }
        Lease mine = acquisition.orElseThrow();
        lease = mine;
        lost = null;
        mine.onLost(cause -> lost = cause);
        return granted(new Proof(mine.key(), mine.id(), mine.token()));
    }

    private String granted(Proof mine) {
        proof = mine;
        return mine.toString();
    }

    private Proof proved() {
        if (proof == null) {
            throw new IllegalStateException("nothing was acquired yet");
        }
        return proof;
    }
}

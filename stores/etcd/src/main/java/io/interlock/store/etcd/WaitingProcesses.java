package io.interlock.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.Watchers;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups for processes that wait. Each puts a key with its place, in the order they came. Only the first watches the
 * lock; every other one watches the place before its own, so a release wakes one process. Places have a lease of etcd, so
 * that those of a dead process disappear.
 *
 * <p>Whatever fails is tried again a second later; meanwhile waiters poll. Thread-safe.
 */
final class WaitingProcesses implements ChangeFeed, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WaitingProcesses.class);
    private static final long PLACE_SECONDS = 20;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Etcd etcd;
    private final Timers timers;
    private final String process;
    private final Map<LockKey, Place> places = new HashMap<>();
    private @Nullable CompletableFuture<Long> session;
    private @Nullable CloseableClient sessionRenewal;
    private boolean closed;

    WaitingProcesses(Etcd etcd, Environment environment) {
        this.etcd = etcd;
        this.timers = environment.timers("interlock-etcd-wake");
        this.process =
                new UUID(environment.random().nextLong(), environment.random().nextLong()).toString();
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        Place place;
        Subscription watcher;
        boolean isNew;
        synchronized (this) {
            if (closed) {
                return () -> {};
            }
            isNew = !places.containsKey(key);
            place = places.computeIfAbsent(key, Place::new);
            watcher = place.watchers.add(key, lookAgain);
        }
        if (isNew) {
            place.take();
        }
        return () -> {
            synchronized (this) {
                watcher.close();
                if (!place.watchers.isEmpty() || !places.remove(key, place)) {
                    return;
                }
            }
            place.leave();
        };
    }

    @Override
    public void close() {
        List<Place> left;
        CloseableClient renewal;
        synchronized (this) {
            closed = true;
            left = List.copyOf(places.values());
            places.clear();
            renewal = sessionRenewal;
        }
        left.forEach(Place::leave);
        if (renewal != null) {
            renewal.close();
        }
        timers.close();
    }

    /** The lease of etcd of all places of this process. */
    private synchronized CompletableFuture<Long> session() {
        if (session == null || session.isCompletedExceptionally()) {
            session = etcd.client.getLeaseClient().grant(PLACE_SECONDS).thenApply(lease -> {
                keepSession(lease.getID());
                return lease.getID();
            });
        }
        return session;
    }

    private synchronized void keepSession(long id) {
        if (closed) {
            return;
        }
        sessionRenewal = etcd.client.getLeaseClient().keepAlive(id, new StreamObserver<LeaseKeepAliveResponse>() {
            @Override
            public void onNext(LeaseKeepAliveResponse renewed) {}

            @Override
            public void onError(Throwable ended) {
                forgetSession();
            }

            @Override
            public void onCompleted() {
                forgetSession();
            }
        });
    }

    private synchronized void forgetSession() {
        session = null;
        places.values().forEach(Place::takeLater);
    }

    private synchronized boolean isNeeded(Place place) {
        return !closed && places.get(place.key) == place;
    }

    /** The place of this process among those that wait for one key. */
    private final class Place {

        private final LockKey key;
        private final ByteSequence name;
        private final Watchers<LockKey> watchers = new Watchers<>();
        private final List<Watch.Watcher> watches = new ArrayList<>();

        /** Both watches of a place fail at each attempt while the cluster is away: one request is enough for all of that. */
        private final AtomicBoolean scheduled = new AtomicBoolean();

        private volatile boolean taking;

        Place(LockKey key) {
            this.key = key;
            this.name = Etcd.text(Etcd.string(etcd.waitersOf(key)) + process);
        }

        /** Puts the place, unless it is there, and looks for the one before it. */
        void take() {
            if (isNeeded(this)) {
                taking = true;
                var unused = session()
                        .thenCompose(lease -> etcd.client
                                .getKVClient()
                                .put(
                                        name,
                                        Etcd.text(""),
                                        PutOption.builder().withLeaseId(lease).build()))
                        .whenComplete((put, failure) -> {
                            taking = false;
                            if (failure == null) {
                                look();
                            } else {
                                again(failure);
                            }
                        });
            }
        }

        void leave() {
            stopWatching();
            var unused = etcd.client.getKVClient().delete(name);
        }

        private void look() {
            if (!isNeeded(this)) {
                leave();
                return;
            }
            GetOption inOrder = GetOption.builder()
                    .isPrefix(true)
                    .withKeysOnly(true)
                    .withSortField(GetOption.SortTarget.CREATE)
                    .withSortOrder(GetOption.SortOrder.ASCEND)
                    .build();
            var unused = etcd.client
                    .getKVClient()
                    .get(etcd.waitersOf(key), inOrder)
                    .whenComplete((found, failure) -> {
                        if (failure != null) {
                            again(failure);
                            return;
                        }
                        KeyValue before = null;
                        for (KeyValue place : found.getKvs()) {
                            if (place.getKey().equals(name)) {
                                watchFrom(found.getHeader().getRevision() + 1, before);
                                return;
                            }
                            before = place;
                        }
                        again(new IllegalStateException("the place has ended"));
                    });
        }

        private void watchFrom(long revision, @Nullable KeyValue before) {
            stopWatching();
            if (before != null) {
                watch(before.getKey(), revision, true, this::look);
                return;
            }
            // Whether the key is free already is not known: look, and at every change from here on.
            watch(etcd.holdOf(key, null), revision, true, watchers::callAll);
            watch(etcd.keyOf(key), revision, false, watchers::callAll);
            watchers.callAll();
        }

        private void watch(ByteSequence name, long revision, boolean onlyDeletes, Runnable then) {
            WatchOption option = WatchOption.builder()
                    .withRevision(revision)
                    .withNoPut(onlyDeletes)
                    .build();
            Watch.Watcher watch = etcd.client
                    .getWatchClient()
                    .watch(
                            name,
                            option,
                            Watch.listener(
                                    changed -> {
                                        if (!changed.getEvents().isEmpty()) {
                                            then.run();
                                        }
                                    },
                                    this::again));
            synchronized (watches) {
                watches.add(watch);
            }
        }

        private void stopWatching() {
            List<Watch.Watcher> ended;
            synchronized (watches) {
                ended = List.copyOf(watches);
                watches.clear();
            }
            ended.forEach(Watch.Watcher::close);
        }

        private void again(Throwable failure) {
            log.debug("no wake-ups about {} for now, waiters poll: {}", key, failure.toString());
            takeLater();
        }

        private void takeLater() {
            if (isNeeded(this) && scheduled.compareAndSet(false, true)) {
                timers.after(PAUSE, () -> {
                    scheduled.set(false);
                    if (taking) {
                        takeLater();
                    } else {
                        take();
                    }
                });
            }
        }
    }
}

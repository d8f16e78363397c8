package io.interlock.store.etcd;

import static java.util.Objects.requireNonNull;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.OptionsUtil;
import io.etcd.jetcd.options.PutOption;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.store.document.Documents;
import io.interlock.store.document.Fields;
import io.interlock.store.document.KeyDocument;
import io.interlock.store.document.StoreDocument;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Documents in etcd. Whether a lease has ended is judged by etcd alone: while it lives there is a key {@code hold/…} with
 * a lease of etcd, whose value is the lease's id; with a lock delay also {@code delay/…}, which lives longer. The keys of
 * one request share a hold, so that a transaction of etcd, which has at most 128 operations, can grant them all.
 *
 * <p>Thread-safe.
 */
final class EtcdDocuments implements Documents {

    private static final int OPERATIONS_PER_TRANSACTION = 128;

    /** Each key is read by three operations. */
    private static final int KEYS_PER_READ = 40;

    private static final Duration ROUNDING = Duration.ofMillis(1_500);

    /** The value of a hold that a document names, instead of the key's own. */
    private static final String SHARED = "hold";

    private final Etcd etcd;
    private final SharedClock clock;
    private final WaitingProcesses waiting;

    private EtcdDocuments(Etcd etcd, Environment environment) {
        this.etcd = etcd;
        this.clock = new SharedClock(environment);
        this.waiting = new WaitingProcesses(etcd, environment);
    }

    static EtcdDocuments connect(EtcdSettings settings, Environment environment) {
        return new EtcdDocuments(new Etcd(settings, environment), environment);
    }

    /**
     * What was read of a store.
     *
     * @param store the revision of its document, or 0
     * @param keys what was read of its keys
     * @param ends the leases of etcd that they have, by id
     */
    private record Versions(long store, Map<LockKey, Version> keys, Map<Long, LeaseTimeToLiveResponse> ends) {}

    /**
     * What was read of a key.
     *
     * @param revision the revision of its document
     * @param document as it was written, or {@code null} if there is none
     * @param shared the name of a hold it shares with other keys, or {@code null}
     * @param hold the key that lives as long as its lease, or {@code null} if there is none
     * @param delay the key that lives as long as its lock delay, or {@code null} if there is none
     */
    private record Version(
            long revision,
            @Nullable KeyDocument document,
            @Nullable String shared,
            @Nullable KeyValue hold,
            @Nullable KeyValue delay) {

        static final Version NONE = new Version(0, null, null, null, null);
    }

    @Override
    public int maxKeys() {
        return KEYS_PER_READ;
    }

    @Override
    public Snapshot read(Collection<LockKey> keys) {
        Map<ByteSequence, KeyValue> found = values(keys);
        Map<LockKey, Version> versions = versions(found, keys);
        Map<Long, LeaseTimeToLiveResponse> ends = ends(found, versions.values());
        versions.values()
                .forEach(version -> clock.saw(requireNonNull(version.document()).changedAt()));
        Instant now = clock.now();
        SortedMap<LockKey, KeyDocument> documents = new TreeMap<>();
        versions.forEach((key, version) -> documents.put(key, judged(version, ends, now)));
        KeyValue store = found.get(etcd.store());
        long revision = store == null ? 0 : store.getModRevision();
        return new Snapshot(now, storeDocument(found, ends, now), documents, new Versions(revision, versions, ends));
    }

    @Override
    public boolean write(Snapshot snapshot, Changes changes) {
        Versions versions = (Versions) snapshot.versions();
        Transaction transaction = new Transaction(snapshot, versions);
        if (changes.store() != null) {
            transaction.putStore(changes.store());
        }
        Map<LockKey, KeyDocument> granted = changes.granted(snapshot);
        byLease(granted).forEach(transaction::grant);
        changes.keys().forEach((key, document) -> {
            if (document.lease() == null) {
                transaction.free(key, document);
            } else if (!granted.containsKey(key)) {
                transaction.evict(key, document);
            }
        });
        changes.forgotten().forEach(transaction::delete);
        return transaction.commit();
    }

    /**
     * Extends the leases of etcd, and then looks whether the documents are unchanged: an eviction in between would have
     * counted with the old ends.
     */
    @Override
    public boolean renew(Snapshot snapshot, Changes renewed) {
        Versions versions = (Versions) snapshot.versions();
        Map<LockKey, KeyDocument> others = new TreeMap<>();
        Set<Long> extended = new LinkedHashSet<>();
        renewed.keys().forEach((key, document) -> {
            LeaseRow lease = requireNonNull(document.lease());
            Version version = version(versions, key);
            Duration ttl = Duration.between(snapshot.now(), lease.expiresAt());
            boolean fits = version.hold() != null
                    && length(version.hold(), versions) == seconds(ttl)
                    && (version.delay() == null
                            || length(version.delay(), versions) == seconds(ttl.plus(lease.lockDelay())));
            if (fits) {
                extended.addAll(natives(version));
            } else {
                others.put(key, document);
            }
        });
        if (!others.isEmpty() && !replaceHolds(snapshot, others)) {
            return false;
        }
        try {
            if (etcd.awaitEach(extended, etcd.client.getLeaseClient()::keepAliveOnce).stream()
                    .anyMatch(answer -> answer.getTTL() <= 0)) {
                return false;
            }
        } catch (StoreUnavailableException failure) {
            // The driver reports a lease that has ended as a failure of the call.
            if (!(failure.getCause() instanceof EtcdException ended) || ended.getErrorCode() != ErrorCode.NOT_FOUND) {
                throw failure;
            }
            return false;
        }
        Set<LockKey> same = new LinkedHashSet<>(renewed.keys().keySet());
        same.removeAll(others.keySet());
        if (same.isEmpty()) {
            return true;
        }
        Map<LockKey, Version> after = versions(values(same), same);
        return same.stream().allMatch(key -> {
            Version now = after.get(key);
            return now != null
                    && now.hold() != null
                    && now.revision() == version(versions, key).revision();
        });
    }

    @Override
    public Snapshot scan(@Nullable String tenant, String namePrefix, @Nullable LockKey after, int limit) {
        ByteSequence prefix = etcd.keysOf(tenant, namePrefix);
        ByteSequence from = prefix;
        if (after != null) {
            ByteSequence next = etcd.keyOf(after).concat(ByteSequence.from(new byte[] {0}));
            from = compare(next, prefix) > 0 ? next : prefix;
        }
        ByteSequence end = OptionsUtil.prefixEndOf(prefix);
        if (compare(from, end) >= 0) {
            return read(List.of());
        }
        ByteSequence start = from;
        GetResponse page = etcd.await(() -> etcd.client
                .getKVClient()
                .get(
                        start,
                        GetOption.builder()
                                .withRange(end)
                                .withKeysOnly(true)
                                .withLimit(limit)
                                .withSortField(GetOption.SortTarget.KEY)
                                .withSortOrder(GetOption.SortOrder.ASCEND)
                                .build()));
        return read(
                page.getKvs().stream().map(found -> etcd.key(found.getKey())).toList());
    }

    @Override
    public ChangeFeed changes() {
        return waiting;
    }

    @Override
    public void close() {
        waiting.close();
        etcd.close();
    }

    /** The values of the store and of keys, all of one revision. */
    private Map<ByteSequence, KeyValue> values(Collection<LockKey> keys) {
        Map<ByteSequence, KeyValue> found = new HashMap<>();
        List<ByteSequence> names = new ArrayList<>(List.of(etcd.store(), etcd.quiet()));
        keys.forEach(key -> names.addAll(List.of(etcd.keyOf(key), etcd.holdOf(key, null), etcd.delayOf(key, null))));
        long revision = read(names, 0, found);
        Set<ByteSequence> shared = new LinkedHashSet<>();
        for (LockKey key : keys) {
            KeyValue stored = found.get(etcd.keyOf(key));
            String name = stored == null ? null : shared(fields(stored));
            if (name != null) {
                shared.add(etcd.holdOf(key, name));
                shared.add(etcd.delayOf(key, name));
            }
        }
        read(List.copyOf(shared), revision, found);
        return found;
    }

    /** Reads as of a revision, or as of now if it is 0; the revision is returned. */
    private long read(List<ByteSequence> names, long revision, Map<ByteSequence, KeyValue> found) {
        long asOf = revision;
        for (int from = 0; from < names.size(); from += OPERATIONS_PER_TRANSACTION) {
            GetOption option = GetOption.builder().withRevision(asOf).build();
            Op[] reads = names.subList(from, Math.min(names.size(), from + OPERATIONS_PER_TRANSACTION)).stream()
                    .map(name -> Op.get(name, option))
                    .toArray(Op[]::new);
            TxnResponse answer =
                    etcd.await(() -> etcd.client.getKVClient().txn().Then(reads).commit());
            answer.getGetResponses().forEach(read -> read.getKvs().forEach(value -> found.put(value.getKey(), value)));
            asOf = asOf == 0 ? answer.getHeader().getRevision() : asOf;
        }
        return asOf;
    }

    private Map<LockKey, Version> versions(Map<ByteSequence, KeyValue> found, Collection<LockKey> keys) {
        Map<LockKey, Version> versions = new HashMap<>();
        for (LockKey key : keys) {
            KeyValue stored = found.get(etcd.keyOf(key));
            if (stored != null) {
                KeyDocument document = KeyDocument.of(fields(stored));
                String shared = shared(fields(stored));
                KeyValue hold = of(document.lease(), found.get(etcd.holdOf(key, shared)));
                KeyValue delay = of(document.lease(), found.get(etcd.delayOf(key, shared)));
                versions.put(key, new Version(stored.getModRevision(), document, shared, hold, delay));
            }
        }
        return versions;
    }

    /** The hold or delay, if it is that of {@code lease}. */
    private static @Nullable KeyValue of(@Nullable LeaseRow lease, @Nullable KeyValue value) {
        boolean its = lease != null
                && value != null
                && Etcd.string(value.getValue()).equals(lease.id().toString());
        return its ? value : null;
    }

    private Map<Long, LeaseTimeToLiveResponse> ends(Map<ByteSequence, KeyValue> found, Collection<Version> versions) {
        Set<Long> natives = new LinkedHashSet<>();
        KeyValue quiet = found.get(etcd.quiet());
        if (quiet != null) {
            natives.add(quiet.getLease());
        }
        versions.forEach(version -> natives.addAll(natives(version)));
        Map<Long, LeaseTimeToLiveResponse> ends = new HashMap<>();
        etcd.awaitEach(natives, id -> etcd.client.getLeaseClient().timeToLive(id, LeaseOption.DEFAULT))
                .forEach(end -> ends.put(end.getID(), end));
        return ends;
    }

    /** How long the key lives that has this lease of etcd; positive, because it was there. */
    private static Duration left(KeyValue value, Map<Long, LeaseTimeToLiveResponse> ends) {
        LeaseTimeToLiveResponse end = ends.get(value.getLease());
        return Duration.ofSeconds(Math.max(1, end == null ? 1 : end.getTTL()));
    }

    /** How long the lease of etcd lasts that this key has, in seconds, or 0 if it has ended. */
    private static long length(KeyValue value, Versions versions) {
        LeaseTimeToLiveResponse end = versions.ends().get(value.getLease());
        return end == null ? 0 : end.getGrantedTTL();
    }

    /** The document with the end of its lease as etcd sees it. */
    private static KeyDocument judged(Version version, Map<Long, LeaseTimeToLiveResponse> ends, Instant now) {
        KeyDocument document = requireNonNull(version.document());
        LeaseRow lease = document.lease();
        if (lease == null) {
            return document;
        }
        if (version.hold() != null) {
            Instant end = now.plus(left(version.hold(), ends));
            Duration later = Duration.between(end, lease.expiresAt());
            // etcd counts whole seconds; the document is more exact, unless the lease was renewed since.
            boolean same = later.compareTo(ROUNDING.negated()) > 0 && later.compareTo(ROUNDING) < 0;
            return same && lease.expiresAt().isAfter(now) ? document : document.until(end);
        }
        if (version.delay() != null) {
            Duration closed = left(version.delay(), ends);
            Duration shown = closed.compareTo(lease.lockDelay()) < 0 ? closed : lease.lockDelay();
            return document.until(now.plus(shown).minus(lease.lockDelay()));
        }
        Instant over = now.minus(lease.lockDelay());
        return lease.expiresAt().isAfter(over) ? document.until(over) : document;
    }

    private @Nullable StoreDocument storeDocument(
            Map<ByteSequence, KeyValue> found, Map<Long, LeaseTimeToLiveResponse> ends, Instant now) {
        KeyValue stored = found.get(etcd.store());
        if (stored == null) {
            return null;
        }
        StoreDocument store = StoreDocument.of(fields(stored));
        KeyValue quiet = found.get(etcd.quiet());
        if (quiet == null) {
            return store.quietUntil().isAfter(now) ? store.quietUntil(now) : store;
        }
        return store.quietUntil().isAfter(now) ? store : store.quietUntil(now.plus(left(quiet, ends)));
    }

    /** Gives leases holds of another length; the old ones end with their leases of etcd. */
    private boolean replaceHolds(Snapshot snapshot, Map<LockKey, KeyDocument> renewed) {
        Transaction transaction = new Transaction(snapshot, (Versions) snapshot.versions());
        byLease(renewed).forEach(transaction::extend);
        return transaction.commit();
    }

    /** The documents of held keys, those of one lease together. */
    private static Collection<Map<LockKey, KeyDocument>> byLease(Map<LockKey, KeyDocument> held) {
        Map<LeaseId, Map<LockKey, KeyDocument>> together = new LinkedHashMap<>();
        held.forEach((key, document) -> together.computeIfAbsent(
                        requireNonNull(document.lease()).id(), id -> new LinkedHashMap<>())
                .put(key, document));
        return together.values();
    }

    private static Set<Long> natives(Version version) {
        Set<Long> ids = new LinkedHashSet<>();
        if (version.hold() != null) {
            ids.add(version.hold().getLease());
        }
        if (version.delay() != null) {
            ids.add(version.delay().getLease());
        }
        return ids;
    }

    private static Version version(Versions versions, LockKey key) {
        return versions.keys().getOrDefault(key, Version.NONE);
    }

    private static Fields fields(KeyValue stored) {
        return Fields.parse(Etcd.string(stored.getValue()));
    }

    private static @Nullable String shared(Fields fields) {
        return (String) fields.values().get(SHARED);
    }

    /** Rounded up: a lease never ends early. */
    private static long seconds(Duration time) {
        return Math.max(1, time.plusSeconds(1).minusNanos(1).toSeconds());
    }

    private static int compare(ByteSequence one, ByteSequence other) {
        return Arrays.compareUnsigned(one.getBytes(), other.getBytes());
    }

    /** A key that etcd deletes after some seconds. */
    private record LeasedPut(ByteSequence name, ByteSequence value, long seconds) {}

    /** One write: comparisons, operations, and the leases of etcd they need. */
    private final class Transaction {

        private final Snapshot snapshot;
        private final Versions versions;
        private final List<Cmp> unchanged = new ArrayList<>();
        private final List<Op> operations = new ArrayList<>();
        private final List<LeasedPut> leased = new ArrayList<>();
        private final List<Long> ended = new ArrayList<>();

        Transaction(Snapshot snapshot, Versions versions) {
            this.snapshot = snapshot;
            this.versions = versions;
            require(etcd.store(), versions.store());
        }

        void putStore(StoreDocument store) {
            operations.add(Op.put(etcd.store(), Etcd.text(new Fields(store.fields()).text()), PutOption.DEFAULT));
            Instant before =
                    snapshot.store() == null ? snapshot.now() : snapshot.store().quietUntil();
            if (store.quietUntil().isAfter(before) && store.quietUntil().isAfter(snapshot.now())) {
                long length = seconds(Duration.between(snapshot.now(), store.quietUntil()));
                leased.add(new LeasedPut(etcd.quiet(), Etcd.text(""), length));
            }
        }

        void grant(Map<LockKey, KeyDocument> together) {
            Map.Entry<LockKey, KeyDocument> first =
                    together.entrySet().iterator().next();
            String shared = together.size() == 1
                    ? null
                    : "+" + requireNonNull(first.getValue().lease()).id() + "+"
                            + first.getKey().name();
            together.forEach((key, document) -> put(key, document, shared));
            hold(first.getKey(), requireNonNull(first.getValue().lease()), shared);
        }

        void extend(Map<LockKey, KeyDocument> together) {
            together.forEach((key, document) -> {
                Version version = version(versions, key);
                require(etcd.keyOf(key), version.revision());
                // It must not have ended: a lease that ended is never renewed.
                KeyValue hold = requireNonNull(version.hold());
                require(hold.getKey(), hold.getModRevision());
                ended.addAll(natives(version));
            });
            Map<String, LockKey> holds = new LinkedHashMap<>();
            together.keySet().forEach(key -> {
                String shared = version(versions, key).shared();
                holds.putIfAbsent(shared == null ? key.tenant() + key.name() : shared, key);
            });
            holds.values()
                    .forEach(key -> hold(
                            key,
                            requireNonNull(requireNonNull(together.get(key)).lease()),
                            version(versions, key).shared()));
        }

        private void hold(LockKey key, LeaseRow lease, @Nullable String shared) {
            Duration ttl = Duration.between(snapshot.now(), lease.expiresAt());
            ByteSequence id = Etcd.text(lease.id().toString());
            leased.add(new LeasedPut(etcd.holdOf(key, shared), id, seconds(ttl)));
            if (!lease.lockDelay().isZero()) {
                leased.add(new LeasedPut(etcd.delayOf(key, shared), id, seconds(ttl.plus(lease.lockDelay()))));
            }
        }

        void put(LockKey key, KeyDocument document, @Nullable String shared) {
            require(etcd.keyOf(key), version(versions, key).revision());
            Map<String, Object> fields = document.fields();
            if (shared != null) {
                fields.put(SHARED, shared);
            }
            operations.add(Op.put(etcd.keyOf(key), Etcd.text(new Fields(fields).text()), PutOption.DEFAULT));
        }

        /**
         * A hold that is shared with other keys is renewed with them, so an evicted key gets one of its own. It lasts as long as
         * from a renewal, because the last one may have come after the snapshot.
         */
        void evict(LockKey key, KeyDocument document) {
            Version version = version(versions, key);
            boolean separate = version.shared() != null && version.hold() != null;
            put(key, document, separate ? null : version.shared());
            if (separate) {
                copy(requireNonNull(version.hold()), etcd.holdOf(key, null));
                if (version.delay() != null) {
                    copy(version.delay(), etcd.delayOf(key, null));
                }
            }
        }

        private void copy(KeyValue hold, ByteSequence name) {
            leased.add(new LeasedPut(name, hold.getValue(), Math.max(1, length(hold, versions))));
        }

        void free(LockKey key, KeyDocument document) {
            put(key, document, null);
            Version version = version(versions, key);
            // Other keys may share the hold; it ends by itself.
            if (version.shared() == null) {
                operations.add(Op.delete(etcd.holdOf(key, null), DeleteOption.DEFAULT));
                operations.add(Op.delete(etcd.delayOf(key, null), DeleteOption.DEFAULT));
                ended.addAll(natives(version));
            }
        }

        void delete(LockKey key) {
            require(etcd.keyOf(key), version(versions, key).revision());
            operations.add(Op.delete(etcd.keyOf(key), DeleteOption.DEFAULT));
        }

        boolean commit() {
            List<Long> fresh = etcd
                    .awaitEach(leased, put -> etcd.client.getLeaseClient().grant(put.seconds()))
                    .stream()
                    .map(LeaseGrantResponse::getID)
                    .toList();
            for (int i = 0; i < fresh.size(); i++) {
                LeasedPut put = leased.get(i);
                PutOption option = PutOption.builder().withLeaseId(fresh.get(i)).build();
                operations.add(Op.put(put.name(), put.value(), option));
            }
            boolean written = etcd.await(() -> etcd.client
                            .getKVClient()
                            .txn()
                            .If(unchanged.toArray(Cmp[]::new))
                            .Then(operations.toArray(Op[]::new))
                            .commit())
                    .isSucceeded();
            // Without their keys, leases of etcd are of no use. If this fails they end by themselves.
            (written ? ended : fresh).forEach(id -> {
                var unused = etcd.client.getLeaseClient().revoke(id);
            });
            return written;
        }

        private void require(ByteSequence name, long revision) {
            unchanged.add(
                    revision == 0
                            ? new Cmp(name, Cmp.Op.EQUAL, CmpTarget.version(0))
                            : new Cmp(name, Cmp.Op.EQUAL, CmpTarget.modRevision(revision)));
        }
    }

    /**
     * A clock that the clients of a store keep together without a server: it begins at the wall clock, runs with the ticker,
     * and is set forward to every later time it {@linkplain #saw sees}. So what happens after a step was read is later than
     * that step. It decides nothing about leases.
     *
     * <p>Thread-safe.
     */
    private static final class SharedClock {

        private final Ticker ticker;
        private Instant base;
        private long baseNanos;

        SharedClock(Environment environment) {
            ticker = environment.ticker();
            base = environment.clock().instant();
            baseNanos = ticker.nanos();
        }

        synchronized Instant now() {
            return base.plus(Duration.ofNanos(ticker.nanos() - baseNanos)).truncatedTo(ChronoUnit.MICROS);
        }

        synchronized void saw(Instant time) {
            if (time.isAfter(now())) {
                base = time;
                baseNanos = ticker.nanos();
            }
        }
    }
}

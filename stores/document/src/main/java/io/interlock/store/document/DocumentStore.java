package io.interlock.store.document;

import static java.util.Objects.requireNonNull;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseRecord.Eviction;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl.StoreSettings;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import io.interlock.store.document.Documents.Changes;
import io.interlock.store.document.Documents.Snapshot;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of leases on {@link Documents}. A step reads the documents of its keys in one snapshot, decides, and writes
 * them if they are unchanged; otherwise it begins again. A refusal writes nothing.
 *
 * <p>Thread-safe.
 */
public final class DocumentStore implements LeaseStore {

    private static final Logger log = LoggerFactory.getLogger(DocumentStore.class);

    /** How many documents a sweep reads for each lease it may delete. */
    private static final int LOOK_AHEAD = 10;

    /** A free key is forgotten when every lease granted from an old snapshot of it must have ended. */
    private static final int FORGET_AFTER_LEASES = 3;

    private final Documents documents;
    private final Setup setup;
    private final Environment environment;
    private volatile @Nullable StoreDocument known;
    private volatile @Nullable LockKey sweptTo;
    private volatile boolean closed;

    /**
     * The properties of a store.
     *
     * @param name its kind and place, for messages, without secrets
     * @param common the longest lease it should allow, and how long a step may take
     * @param precision the resolution of its clock
     * @param wakeUps whether it sends wake-ups
     * @param writeEvery how long the writes of one key should be apart
     */
    public record Setup(String name, StoreSettings common, Duration precision, boolean wakeUps, Duration writeEvery) {}

    private DocumentStore(Documents documents, Setup setup, Environment environment) {
        this.documents = documents;
        this.setup = setup;
        this.environment = environment;
    }

    /** Opens the store in {@code documents}, which it closes. */
    public static DocumentStore open(Documents documents, Setup setup, Environment environment) {
        DocumentStore store = new DocumentStore(documents, setup, environment);
        try {
            store.read(Set.of());
            return store;
        } catch (RuntimeException | Error failure) {
            store.close();
            throw failure;
        }
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                setup.name(),
                StoreCapabilities.Reach.NETWORK,
                setup.wakeUps(),
                maxLease(),
                setup.precision(),
                4,
                setup.writeEvery());
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(maxLease()));
        return answer(requests, AcquireRequest::keys, Step::acquire, documents::write);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(maxLease()));
        return answer(requests, request -> List.of(request.key()), Step::renew, documents::renew);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return answer(requests, request -> List.of(request.key()), Step::release, documents::write);
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return answer(List.of(request), evicted -> List.of(evicted.key()), Step::evict, documents::write)
                .only();
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        Map<LockKey, LeaseRecord> found = new TreeMap<>();
        for (List<LockKey> part : parts(List.copyOf(new TreeSet<>(keys)), key -> 1)) {
            Snapshot snapshot = read(part);
            snapshot.keys()
                    .forEach((key, document) ->
                            document.record(key, snapshot.now()).ifPresent(lease -> found.put(key, lease)));
        }
        return keys.stream().map(key -> Optional.ofNullable(found.get(key))).toList();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        requireOpen();
        List<LeaseRecord> found = new ArrayList<>();
        LockKey after = query.after();
        while (found.size() <= query.limit()) {
            Snapshot page = documents.scan(query.tenant(), query.namePrefix(), after, documents.maxKeys());
            page.keys()
                    .forEach((key, document) -> document.record(key, page.now())
                            .filter(lease -> query.matches(key) && !lease.isExpired())
                            .ifPresent(found::add));
            if (page.keys().size() < documents.maxKeys()) {
                break;
            }
            after = page.keys().lastKey();
        }
        return LeasePage.of(found, query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        requireOpen();
        List<LeaseRecord> cleared = new ArrayList<>();
        int left = Math.max(limit * LOOK_AHEAD, documents.maxKeys());
        boolean wrapped = sweptTo == null;
        while (left > 0 && cleared.size() < limit) {
            int size = Math.min(documents.maxKeys(), limit - cleared.size());
            Snapshot page = documents.scan(null, "", sweptTo, size);
            left -= size;
            cleared.addAll(clear(page));
            boolean atEnd = page.keys().size() < size;
            sweptTo = atEnd ? null : page.keys().lastKey();
            if (atEnd && wrapped) {
                break;
            }
            wrapped |= atEnd;
        }
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        int epoch = beginQuietPeriod(true).epoch();
        // Twice: a grant that missed the first was made before the second.
        beginQuietPeriod(false);
        // The database may count it from the write.
        Instant until = requireNonNull(read(Set.of()).store()).quietUntil();
        log.warn("store {} begins epoch {} and grants nothing until {} ({})", setup.name(), epoch, until, reason);
        return until;
    }

    private StoreDocument beginQuietPeriod(boolean newEpoch) {
        while (true) {
            Snapshot snapshot = read(Set.of());
            StoreDocument store = requireNonNull(snapshot.store());
            StoreDocument next = store.inEpoch(newEpoch ? after(store.epoch()) : store.epoch(), snapshot.now());
            if (documents.write(snapshot, new Changes(next, Map.of(), List.of()))) {
                return next;
            }
        }
    }

    @Override
    public ChangeFeed changes() {
        return documents.changes();
    }

    @Override
    public void close() {
        closed = true;
        documents.close();
    }

    private Duration maxLease() {
        return requireNonNull(known).maxLease();
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(setup.name(), "is closed");
        }
    }

    /** Answers requests from one snapshot, written at once; if others wrote meanwhile, what changed is left open. */
    private <Q, A> Answers<A> answer(
            List<Q> requests,
            Function<Q, List<LockKey>> keysOf,
            BiFunction<Step, Q, A> rule,
            BiFunction<Snapshot, Changes, Boolean> write) {
        List<@Nullable A> answers = new ArrayList<>(requests.size());
        for (List<Q> part : parts(requests, request -> keysOf.apply(request).size())) {
            Set<LockKey> keys = new TreeSet<>();
            part.forEach(request -> keys.addAll(keysOf.apply(request)));
            long deadline =
                    environment.ticker().nanos() + setup.common().timeout().toNanos();
            while (true) {
                Step step = new Step(read(keys));
                List<A> decided =
                        part.stream().map(request -> rule.apply(step, request)).toList();
                if (step.changes.isEmpty() || write.apply(step.snapshot, Changes.of(step.changes))) {
                    answers.addAll(decided);
                    break;
                }
                if (requests.size() > 1) {
                    for (int i = 0; i < part.size(); i++) {
                        boolean touched = keysOf.apply(part.get(i)).stream().anyMatch(step.changes::containsKey);
                        answers.add(touched ? null : decided.get(i));
                    }
                    break;
                }
                if (environment.ticker().nanos() > deadline) {
                    throw new StoreUnavailableException(
                            setup.name(), "had other changes of " + keys + " at each attempt");
                }
            }
        }
        return Answers.partly(answers);
    }

    /** Parts of a list that the database can read at once. */
    private <Q> List<List<Q>> parts(List<Q> requests, Function<Q, Integer> keys) {
        requireOpen();
        List<List<Q>> parts = new ArrayList<>();
        List<Q> part = new ArrayList<>();
        int size = 0;
        for (Q request : requests) {
            if (size + keys.apply(request) > documents.maxKeys() && !part.isEmpty()) {
                parts.add(part);
                part = new ArrayList<>();
                size = 0;
            }
            part.add(request);
            size += keys.apply(request);
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    /** Reads keys of a store that is the one this process knows, with nothing lost. */
    private Snapshot read(Collection<LockKey> keys) {
        requireOpen();
        while (true) {
            Snapshot snapshot = documents.read(keys);
            StoreDocument before = known;
            StoreDocument found = snapshot.store();
            StoreDocument attached = attached(before, found, snapshot.now());
            if (attached.equals(found) || documents.write(snapshot, new Changes(attached, Map.of(), List.of()))) {
                known = attached;
                if (attached.equals(found)) {
                    return snapshot;
                }
                report(before, found, attached);
            }
        }
    }

    /** The store's document as it must be before this process uses it. */
    private StoreDocument attached(@Nullable StoreDocument before, @Nullable StoreDocument found, Instant now) {
        if (before == null) {
            StoreDocument store = found != null
                    ? found
                    : StoreDocument.first(
                            LeaseId.random(environment.random()).toString(),
                            setup.common().maxLease(),
                            now);
            return store.allowing(setup.common().maxLease());
        }
        if (found == null) {
            return before.inEpoch(after(before.epoch()), now);
        }
        if (Collections.disjoint(found.ids(), before.ids()) || found.epoch() < before.epoch()) {
            return found.continuing(before.ids())
                    .allowing(before.maxLease())
                    .inEpoch(after(Math.max(found.epoch(), before.epoch())), now);
        }
        return found.allowing(before.maxLease());
    }

    private void report(@Nullable StoreDocument before, @Nullable StoreDocument found, StoreDocument attached) {
        if (before != null && (found == null || attached.epoch() > found.epoch())) {
            log.warn(
                    "store {} has lost data: epoch {} begins, nothing is granted for {}",
                    setup.name(),
                    attached.epoch(),
                    DurationText.format(attached.maxLease()));
        } else if (found == null) {
            log.info("store {} is used for the first time", setup.name());
        } else {
            log.warn(
                    "store {}: maxLease is permanently raised from {} to {}; quiet periods last as long",
                    setup.name(),
                    DurationText.format(found.maxLease()),
                    DurationText.format(attached.maxLease()));
        }
    }

    private int after(int epoch) {
        return TokenLayout.epochAfter(setup.name(), epoch, 0);
    }

    /** Frees keys whose leases are over, and forgets keys that have been free for long. */
    private List<LeaseRecord> clear(Snapshot page) {
        List<LeaseRecord> cleared = new ArrayList<>();
        Instant longFree = page.now().minus(maxLease().multipliedBy(FORGET_AFTER_LEASES));
        long highest = 0;
        List<LockKey> forgotten = new ArrayList<>();
        for (Map.Entry<LockKey, KeyDocument> entry : page.keys().entrySet()) {
            LeaseRow lease = entry.getValue().lease();
            if (lease == null && entry.getValue().changedAt().isBefore(longFree)) {
                forgotten.add(entry.getKey());
                highest = Math.max(highest, entry.getValue().lastToken());
            }
            if (lease != null && !lease.opensAt().isAfter(page.now()) && !lease.awaitsProbe()) {
                KeyDocument free = entry.getValue().with(null, page.now());
                if (documents.write(page, Changes.of(Map.of(entry.getKey(), free)))) {
                    cleared.add(lease.record(entry.getKey(), page.now()));
                }
            }
        }
        if (!forgotten.isEmpty()) {
            forget(page, forgotten, highest);
        }
        return cleared;
    }

    // The floor is written before the keys are deleted: a grant in between has a greater token too.
    private void forget(Snapshot page, List<LockKey> forgotten, long highest) {
        Snapshot store = read(Set.of());
        StoreDocument raised = requireNonNull(store.store()).above(highest);
        if (raised.equals(store.store()) || documents.write(store, new Changes(raised, Map.of(), List.of()))) {
            documents.write(page, new Changes(null, Map.of(), forgotten));
        }
    }

    /** One step on the keys of a snapshot: later requests see what earlier ones changed. */
    private static final class Step {

        private final Snapshot snapshot;
        private final Instant now;
        private final StoreDocument store;
        private final Map<LockKey, KeyDocument> changes = new TreeMap<>();

        Step(Snapshot snapshot) {
            this.snapshot = snapshot;
            this.now = snapshot.now();
            this.store = requireNonNull(snapshot.store());
        }

        AcquireAnswer acquire(AcquireRequest request) {
            if (request.keys().stream().allMatch(key -> isLive(key, request.id()))) {
                return new AcquireAnswer.Granted(request.keys().stream()
                        .map(key -> new AcquireAnswer.Grant(
                                document(key).record(key, now).orElseThrow(), null))
                        .toList());
            }
            if (now.isBefore(store.quietUntil())) {
                return new AcquireAnswer.Refused(
                        new Refusal.StoreRecovering(request.keys().get(0), now, store.quietUntil()));
            }
            for (LockKey key : request.keys()) {
                Refusal refusal = LeaseRules.refusal(key, document(key).lease(), request.takeover(), now);
                if (refusal != null) {
                    return new AcquireAnswer.Refused(refusal);
                }
            }
            return new AcquireAnswer.Granted(
                    request.keys().stream().map(key -> grant(key, request)).toList());
        }

        RenewAnswer renew(RenewRequest request) {
            KeyDocument document = document(request.key());
            LeaseRow lease = document.lease();
            RenewAnswer.Lost lost = LeaseRules.loss(request, lease, now);
            if (lease == null || lost != null) {
                return requireNonNull(lost);
            }
            LeaseRow renewed = lease.until(now.plus(request.ttl()));
            changes.put(request.key(), document.with(renewed, now));
            return new RenewAnswer.Renewed(renewed.record(request.key(), now));
        }

        ReleaseAnswer release(ReleaseRequest request) {
            KeyDocument document = document(request.key());
            LeaseRow lease = document.lease();
            if (lease == null || !lease.isProvedBy(request.id(), request.token())) {
                return new ReleaseAnswer.Gone(
                        document.record(request.key(), now).orElse(null));
            }
            changes.put(request.key(), document.with(null, now));
            return ReleaseAnswer.of(lease.record(request.key(), now));
        }

        EvictAnswer evict(EvictRequest request) {
            KeyDocument document = document(request.key());
            LeaseRow lease = document.lease();
            if (lease == null || !lease.token().equals(request.expected())) {
                return new EvictAnswer.Mismatch(
                        document.record(request.key(), now).orElse(null));
            }
            LeaseRow victim = lease;
            if (lease.eviction() == null) {
                victim = lease.evicted(new Eviction(request.actor().name(), request.reason(), now));
                changes.put(request.key(), document.with(victim, now));
            }
            return new EvictAnswer.Evicted(victim.record(request.key(), now), victim.opensAt());
        }

        private KeyDocument document(LockKey key) {
            KeyDocument changed = changes.get(key);
            return changed != null ? changed : snapshot.keys().getOrDefault(key, KeyDocument.NEW);
        }

        private boolean isLive(LockKey key, LeaseId id) {
            LeaseRow lease = document(key).lease();
            return lease != null && lease.id().equals(id) && lease.isLive(now);
        }

        private AcquireAnswer.Grant grant(LockKey key, AcquireRequest request) {
            KeyDocument document = document(key);
            FencingToken token = TokenLayout.next(document.lastToken(), store.floor(), store.epoch(), now);
            LeaseRow granted = LeaseRules.grant(request, token, now);
            changes.put(key, document.with(granted, now));
            return new AcquireAnswer.Grant(
                    granted.record(key, now), document.record(key, now).orElse(null));
        }
    }
}

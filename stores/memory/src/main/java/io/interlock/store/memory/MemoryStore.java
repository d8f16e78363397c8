package io.interlock.store.memory;

import io.interlock.Actor;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.AuditSignature;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.LineQuery;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.PeriodQuery;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.Seal;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.WorkerNote;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.rules.DeadLetterRules;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in the memory of this process: the reference implementation of a store, and the store for tests and
 * single-process programs. Exclusion, tokens, leases and runs are limited to the process and end with it.
 *
 * <p>Thread-safe. Lease steps on different keys do not wait for each other; steps about runs wait for each other. The
 * cost of a step does not depend on the number of keys and runs or the age of the store; only listings grow with the
 * number of keys.
 */
public class MemoryStore extends MemoryRuns {

    /** The default of the longest lease. */
    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    /** The clock counts nanoseconds in 64 bits; longer leases might overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    static final String NAME = "memory";

    private static final int NAMES_AT_ONCE = 1000;

    private final Environment environment;

    /** A new, empty store, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** A new, empty store, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(environment, new RunTable(new StoreClock(environment), checked(maxLease), environment.random()));
    }

    MemoryStore(Environment environment, RunTable table) {
        super(environment, table);
        this.environment = environment;
    }

    /** Another client of the same store, like a second process; each is closed separately. */
    public MemoryStore anotherClient() {
        return new MemoryStore(environment, table());
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return alone(rows -> rows.history
                .deadLetters(query.after())
                .filter(query::matches)
                .limit(query.limit())
                .toList());
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.redrive(
                                state,
                                request,
                                dead,
                                table().rows.history.disposition(dead.id()),
                                table().rows.run(request.anew()).orElse(null)))
                .orElseGet(RedriveAnswer.Unknown::new);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.discard(
                                state, request, dead, table().rows.history.disposition(dead.id())))
                .orElseGet(DiscardAnswer.Unknown::new);
    }

    @Override
    public void append(List<AuditRecord> records) {
        change(rows -> records.forEach(record -> rows.audit.append(record.at(storeTime()))));
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return alone(rows -> rows.audit.newestFirst(query));
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return alone(rows -> rows.audit.unsealed(limit));
    }

    @Override
    public Seal head() {
        return alone(rows -> rows.audit.head());
    }

    @Override
    public Seal anchor() {
        return alone(rows -> rows.audit.anchor());
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return alone(rows -> rows.audit.seal(head, links));
    }

    @Override
    public AuditSignature signature() {
        return alone(rows -> rows.audit.signature());
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return alone(rows -> rows.audit.sign(before, next));
    }

    @Override
    public Numbers numbers() {
        return alone(rows -> rows.audit.numbers());
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return alone(rows -> rows.audit.sealed(after, limit));
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return alone(rows -> {
            Optional<Run> run = rows.run(note.run()).filter(note::isProofOf);
            run.flatMap(proved -> proved.status().lastTurn())
                    .ifPresent(turn -> rows.notes.keepOutput(note.run(), turn.attempt(), note.text()));
            return run.isPresent();
        });
    }

    @Override
    public SortedMap<Integer, String> outputs(RunId run) {
        return alone(rows -> rows.notes.outputs(run));
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        change(rows -> counts.forEach(rows.notes::count));
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return alone(rows -> rows.notes.refusals(key, since));
    }

    @Override
    public void addPeriods(List<RunPeriod> periods) {
        change(rows -> periods.forEach(rows.notes::add));
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return alone(rows -> rows.notes.periods(query));
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        change(rows -> rows.notes.note(worker, storeTime()));
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return alone(rows -> rows.notes.workers(tenant, storeTime().minus(time), limit));
    }

    @Override
    public long bookmark(String name) {
        return alone(rows -> rows.notes.bookmark(name));
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return alone(rows -> rows.notes.moveBookmark(name, expected, value));
    }

    @Override
    public Instant storeTime() {
        return table().now();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return views().keys(query);
    }

    @Override
    public KeyLine line(LineQuery query) {
        return views().line(query);
    }

    @Override
    public Summary summary(String tenant) {
        return views().summary(tenant);
    }

    @Override
    public SearchResult search(SearchQuery query) {
        return views().search(query);
    }

    private MemoryViews views() {
        return new MemoryViews(table());
    }

    @Override
    public List<RunCount> runCounts() {
        return alone(RunRows::runCounts);
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return alone(rows -> rows.openRuns(tenant, most));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return alone(rows -> rows.pauses.inForce(table().now()).stream()
                .filter(pause -> tenant == null || tenant.equals(pause.tenant()))
                .sorted(Comparator.comparing(Pause::tenant).thenComparing(Pause::pattern))
                .toList());
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return table().rows.keys().stream()
                .sorted()
                .flatMap(key -> resource(key).stream())
                .filter(query::matches)
                .limit(query.limit())
                .toList();
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        Instant now = table().now();
        Instant namesUntil = namesUntil(now);
        // All of them, but in parts, so that steps do not wait for long.
        int names;
        do {
            names = alone(rows -> rows.forgetNames(namesUntil, NAMES_AT_ONCE));
        } while (names == NAMES_AT_ONCE);
        return alone(rows -> {
            rows.notes.forgetBefore(now.minus(retention.runs()));
            rows.notes.forgetPeriods(now);
            rows.notes.forgetRemoteBefore(now.minus(WorkerNote.REMOTE_KEPT));
            return new Forgotten(
                    rows.forgetRuns(retention, now, limit), rows.audit.forget(now.minus(retention.audit()), limit));
        });
    }

    /** Idempotency keys that expire before this time are deleted. */
    Instant namesUntil(Instant now) {
        return now;
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        return alone(rows -> {
            AccessKey known = rows.accessKeys.get(key.id());
            if (known == null) {
                AccessKey kept = key.created(storeTime());
                rows.audit.append(AuditRecord.of(
                        kept.createdAt(),
                        kept.logKey(),
                        actor,
                        "key-added",
                        "",
                        kept.role().name(),
                        kept.label()));
                rows.accessKeys.put(kept.id(), kept);
                return kept;
            }
            if (!known.hash().equals(key.hash())) {
                throw new InvalidSettingException("key id", key.id(), "is used by another key", "choose another id");
            }
            return known;
        });
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return alone(rows -> Optional.ofNullable(rows.accessKeys.get(id)));
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return alone(rows -> rows.accessKeys.values().stream()
                .filter(key -> tenant == null || tenant.equals(key.tenant()))
                .toList());
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return alone(rows -> {
            AccessKey known = rows.accessKeys.get(id);
            if (known == null || known.revokedAt() != null) {
                return Optional.ofNullable(known);
            }
            Instant now = storeTime();
            AccessKey revoked = known.revoked(now);
            rows.audit.append(AuditRecord.of(
                    now, known.logKey(), actor, "key-revoked", known.role().name(), "", reason));
            rows.accessKeys.put(id, revoked);
            return Optional.of(revoked);
        });
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        change(rows -> ids.forEach(id -> rows.accessKeys.computeIfPresent(id, (same, key) -> key.used(storeTime()))));
    }

    @Override
    public SignIn openSignIn(SignIn signIn) {
        return alone(rows -> rows.signIns.open(signIn, storeTime()));
    }

    @Override
    public Optional<SignIn> findSignIn(String hash, boolean used) {
        return alone(rows -> rows.signIns.find(hash, used, storeTime()));
    }

    @Override
    public Optional<SignIn> closeSignIn(String hash) {
        return alone(rows -> rows.signIns.close(hash, storeTime()));
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return wakeUps().subscribe(table().work, Optional.ofNullable(tenant), lookAgain);
    }

    @Override
    public String toString() {
        return NAME + ":";
    }

    private void change(Consumer<RunRows> step) {
        alone(rows -> {
            step.accept(rows);
            return rows;
        });
    }

    private static Duration checked(Duration maxLease) {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "remove it for the default of " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        if (maxLease.compareTo(LONGEST) > 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is above the limit of " + DurationText.format(LONGEST),
                    "leases are renewed, so long work needs no long lease");
        }
        return maxLease;
    }
}

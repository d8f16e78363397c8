package io.interlock.store.sql;

import io.interlock.Actor;
import io.interlock.EvictAnswer;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.run.Attempt;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.AuditSignature;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.LineQuery;
import io.interlock.run.MoveAnswer;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.PeriodQuery;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunCount;
import io.interlock.run.RunPage;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunQuery;
import io.interlock.run.Seal;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.run.WorkerNote;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.MoveRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases and runs in the tables of one database. Rules decide in this process about keys whose rows are locked; the database's
 * clock counts, read after the lock. Safe for use by many threads; one per process is enough.
 */
public final class SqlStore implements RunStore {

    private static final Logger log = LoggerFactory.getLogger(SqlStore.class);

    private final Database database;
    private final Supplier<StoreCapabilities> capabilities;
    private final Feed feed;
    private final @Nullable FastPath fastPath;
    private final StoredRuns runs = new StoredRuns();
    private final KeySteps steps;
    private final QuickSubmits quickSubmits;
    private final DueKeys due;
    private final LostKeys lostKeys;
    private final PauseSteps pauses;
    private final ClaimSteps claims;
    private final LeaseTable leases;
    private final RunLists lists;
    private final AuditTable audit;
    private final DeadLetterTable letters;
    private final NoteTable notes;
    private final RunViewsTable views;
    private final HistoryTable history;
    private final AccessKeyTable accessKeys;
    private final SignInTable signIns;
    private final BusyKeys busyKeys = new BusyKeys();

    /** Wake-ups, in both directions. */
    public interface Feed extends ChangeFeed, AutoCloseable {

        /** As {@link io.interlock.spi.run.WorkFeed#watchWork}. */
        Subscription watchWork(@Nullable String tenant, Runnable lookAgain);

        /** These keys may have become free, or their holders were asked to stop. */
        void keysChanged(Collection<LockKey> keys);

        /** Workers of these tenants may find work. */
        void workAppeared(Collection<String> tenants);

        @Override
        void close();
    }

    /**
     * A store.
     *
     * @param fastPath grants and frees bare leases in one statement, or {@code null} if every step takes the long way
     */
    public SqlStore(
            Database database,
            Supplier<StoreCapabilities> capabilities,
            Feed feed,
            @Nullable FastPath fastPath,
            Environment environment) {
        this.database = database;
        this.capabilities = capabilities;
        this.feed = feed;
        this.fastPath = fastPath;
        KeySteps.Signals signals = new KeySteps.Signals() {
            @Override
            public void keysChanged(Collection<LockKey> keys) {
                feed.keysChanged(keys);
            }

            @Override
            public void workAppeared(Collection<String> tenants) {
                feed.workAppeared(tenants);
            }

            @Override
            public void placesFreed(Collection<String> tenants) {
                fillPlaces(tenants);
            }
        };
        steps = new KeySteps(database, runs, environment.random(), signals);
        quickSubmits = new QuickSubmits(database, runs, steps);
        due = new DueKeys(database, steps);
        lostKeys = new LostKeys(database, due, environment.ticker());
        pauses = new PauseSteps(database, steps, due, signals);
        claims = new ClaimSteps(database, steps, due, pauses, environment.ticker());
        leases = new LeaseTable(database, steps, due);
        lists = new RunLists(database, runs);
        audit = new AuditTable(database);
        letters = new DeadLetterTable(database, runs);
        notes = new NoteTable(database, runs);
        views = new RunViewsTable(database, runs);
        history = new HistoryTable(database);
        accessKeys = new AccessKeyTable(database);
        signIns = new SignInTable(database);
    }

    private boolean filling;

    // The steps that fill places have limits of their own to look at; they must not call each other.
    private void fillPlaces(Collection<String> tenants) {
        synchronized (busyKeys) {
            if (filling) {
                return;
            }
            filling = true;
        }
        try {
            due.fillPlaces(tenants, 10);
        } catch (StoreUnavailableException later) {
            // The request that freed the place is answered; a sweep finds the place.
            log.debug("store {}: places under a limit were not given away at once", database.store(), later);
        } finally {
            synchronized (busyKeys) {
                filling = false;
            }
        }
    }

    /** Keys that refused the last submission, so that the next one looks before it locks. */
    private static final class BusyKeys {

        private static final int MOST = 10_000;

        private final Map<LockKey, Boolean> keys = new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<LockKey, Boolean> eldest) {
                return size() > MOST;
            }
        };

        synchronized boolean contains(LockKey key) {
            return keys.containsKey(key);
        }

        synchronized void note(LockKey key, boolean busy) {
            if (busy) {
                keys.put(key, true);
            } else {
                keys.remove(key);
            }
        }
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities.get();
    }

    private Duration maxLease() {
        return capabilities.get().maxLease();
    }

    // Leases

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(maxLease()));
        boolean alone = requests.size() == 1;
        return database.together(() ->
                fastPath == null ? acquireByStep(requests, alone) : fastPath.acquire(requests, this::acquireByStep));
    }

    // A request for several keys that is refused needs no more than a look.
    private Answers<AcquireAnswer> acquireByStep(List<AcquireRequest> requests, boolean alone) {
        if (database.hasOneWriter()) {
            return steps.lookThenAnswer(Database.Lane.STEPS, requests, LeaseSteps.ACQUIRE, any -> true);
        }
        return lookFirst(
                requests,
                new ArrayList<>(Collections.nCopies(requests.size(), null)),
                alone,
                request -> request.keys().size() > 1,
                LeaseSteps.ACQUIRE,
                LeaseSteps.ACQUIRE);
    }

    /** Answers requests that have no answer by a look where it may be enough, and all others in one step. */
    private <Q, A> Answers<A> lookFirst(
            List<Q> requests,
            List<@Nullable A> answers,
            boolean alone,
            Predicate<Q> mayBeEnough,
            KeySteps.Kind<Q, A> look,
            KeySteps.Kind<Q, A> kind) {
        List<Integer> looked = places(requests, i -> answers.get(i) == null && mayBeEnough.test(requests.get(i)));
        if (!looked.isEmpty()) {
            List<@Nullable A> found =
                    steps.lookAtEach(looked.stream().map(requests::get).toList(), look);
            for (int i = 0; i < looked.size(); i++) {
                answers.set(looked.get(i), found.get(i));
            }
        }
        List<Integer> rest = places(requests, i -> answers.get(i) == null);
        if (rest.isEmpty()) {
            return Answers.partly(answers);
        }
        Answers<A> made = steps.answer(
                Database.Lane.STEPS, rest.stream().map(requests::get).toList(), kind, alone);
        for (int i = 0; i < rest.size(); i++) {
            answers.set(rest.get(i), made.isOpen(i) ? null : made.get(i));
        }
        return Answers.partly(answers);
    }

    private static List<Integer> places(List<?> requests, IntPredicate which) {
        return IntStream.range(0, requests.size()).filter(which).boxed().toList();
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period that is meant to outlast it.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(maxLease()));
        return database.together(() -> fastPath == null
                ? renewByStep(requests, requests.size() == 1)
                : fastPath.renew(requests, this::renewByStep));
    }

    private Answers<RenewAnswer> renewByStep(List<RenewRequest> requests, boolean alone) {
        return steps.answer(Database.Lane.URGENT, requests, LeaseSteps.RENEW, alone);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return database.together(() -> fastPath == null
                ? releaseByStep(requests, requests.size() == 1)
                : fastPath.release(requests, this::releaseByStep));
    }

    private Answers<ReleaseAnswer> releaseByStep(List<ReleaseRequest> requests, boolean alone) {
        return steps.answer(Database.Lane.URGENT, requests, LeaseSteps.RELEASE, alone);
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return steps.answerOne(Database.Lane.STEPS, request, LeaseSteps.EVICT);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return leases.find(keys);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return leases.list(query);
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        return leases.sweep(limit);
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return leases.bumpEpoch(reason);
    }

    @Override
    public ChangeFeed changes() {
        return feed;
    }

    // Runs

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(maxLease()));
        requests.forEach(RunSteps::requireExactTexts);
        if (database.hasOneWriter()) {
            return steps.lookThenAnswer(Database.Lane.STEPS, requests, RunSteps.SUBMIT, RunSteps::mayBeRefused);
        }
        boolean alone = requests.size() == 1;
        Predicate<SubmitRequest> mayBeBusy = request -> RunSteps.mayBeRefused(request)
                && (busyKeys.contains(request.key()) || (alone && !steps.hasSeen(request.key())));
        Answers<SubmitAnswer> answers = database.together(() -> {
            List<@Nullable SubmitAnswer> quick = quickSubmits.submit(
                    requests,
                    requests.stream().filter(mayBeBusy).map(SubmitRequest::key).collect(Collectors.toSet()));
            return lookFirst(requests, quick, alone, mayBeBusy, RunSteps.SUBMIT_LOOK, RunSteps.SUBMIT);
        });
        for (int i = 0; i < requests.size(); i++) {
            if (!answers.isOpen(i)) {
                SubmitAnswer answer = answers.get(i);
                busyKeys.note(
                        requests.get(i).key(),
                        answer instanceof SubmitAnswer.Refused || answer instanceof SubmitAnswer.Joined);
            }
        }
        return answers;
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        return claims.claim(request);
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, RunSteps.TAKE_TURN);
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, RunSteps.HEARTBEAT);
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, RunSteps.FINISH);
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        return lists.findRun(request.run())
                .map(run -> steps.answerOne(Database.Lane.STEPS, request, RunSteps.cancel(run.key())))
                .orElseGet(CancelAnswer.Unknown::new);
    }

    @Override
    public MoveAnswer moveToFront(MoveRequest request) {
        return lists.findRun(request.run())
                .map(run -> steps.answerOne(Database.Lane.STEPS, request, RunSteps.moveToFront(run.key())))
                .orElseGet(MoveAnswer.Unknown::new);
    }

    @Override
    public Pause pause(PauseRequest request) {
        return pauses.pause(request);
    }

    @Override
    public boolean resume(ResumeRequest request) {
        return pauses.resume(request);
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        leases.noteHeard();
        lostKeys.repair();
        List<SweepAction> done = new ArrayList<>(due.settle(limit));
        pauses.settleEnded(10);
        due.fillPlaces(due.tenantsOutOfPlaces(), limit);
        return done;
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return lists.findRun(id);
    }

    @Override
    public List<Run> queue(LockKey key) {
        return steps.lookAt(key, RunSteps.QUEUE);
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return lists.findRun(id)
                .flatMap(run -> steps.lookAt(id, RunSteps.explain(run.key(), lists.pastRuntimes(run.key()))));
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return lists.attempts(id);
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return lists.resource(key);
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        Texts.exact("kind", request.kind());
        Texts.exact("state", request.state());
        return steps.answerOne(Database.Lane.STEPS, request, RunSteps.SET_RESOURCE);
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        return lists.listRuns(query);
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return audit.audit(key);
    }

    // What is kept beside runs

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return letters.deadLetters(query);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return lists.findRun(request.dead())
                .map(run -> steps.answerOne(Database.Lane.STEPS, request, RunSteps.redrive(run.key(), letters)))
                .orElseGet(RedriveAnswer.Unknown::new);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return lists.findRun(request.dead())
                .map(run -> steps.answerOne(Database.Lane.STEPS, request, RunSteps.discard(run.key(), letters)))
                .orElseGet(DiscardAnswer.Unknown::new);
    }

    @Override
    public void append(List<AuditRecord> records) {
        audit.append(records);
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return audit.records(query);
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return audit.unsealed(limit);
    }

    @Override
    public Seal head() {
        return audit.head();
    }

    @Override
    public Seal anchor() {
        return audit.anchor();
    }

    @Override
    public AuditSignature signature() {
        return audit.signature();
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return audit.sign(before, next);
    }

    @Override
    public Numbers numbers() {
        return audit.numbers();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return audit.seal(head, links);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return audit.sealed(after, limit);
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return notes.keepOutput(note);
    }

    @Override
    public SortedMap<Integer, String> outputs(RunId run) {
        return notes.outputs(run);
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        notes.countRefusals(counts);
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return notes.refusals(key, since);
    }

    @Override
    public void addPeriods(List<RunPeriod> periods) {
        notes.addPeriods(periods);
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return notes.periods(query);
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        notes.noteWorker(worker);
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return notes.workers(tenant, time, limit);
    }

    @Override
    public long bookmark(String name) {
        return notes.bookmark(name);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return notes.moveBookmark(name, expected, value);
    }

    @Override
    public Instant storeTime() {
        return views.storeTime();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return views.keys(query);
    }

    @Override
    public KeyLine line(LineQuery query) {
        return views.line(query);
    }

    @Override
    public List<RunCount> runCounts() {
        return views.runCounts();
    }

    @Override
    public Summary summary(String tenant) {
        return views.summary(tenant);
    }

    @Override
    public SearchResult search(SearchQuery query) {
        return views.search(query);
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return views.openRuns(tenant, most);
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return views.pauses(tenant);
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return views.resources(query);
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return history.forget(retention, limit);
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
        return accessKeys.addKey(key, actor);
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return accessKeys.findKey(id);
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return accessKeys.listKeys(tenant);
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return accessKeys.revokeKey(id, actor, reason);
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        accessKeys.keysUsed(ids);
    }

    @Override
    public SignIn openSignIn(SignIn signIn) {
        return signIns.openSignIn(signIn);
    }

    @Override
    public Optional<SignIn> findSignIn(String hash, boolean used) {
        return signIns.findSignIn(hash, used);
    }

    @Override
    public Optional<SignIn> closeSignIn(String hash) {
        return signIns.closeSignIn(hash);
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return feed.watchWork(tenant, lookAgain);
    }

    @Override
    public void close() {
        feed.close();
        database.close();
    }

    @Override
    public String toString() {
        return database.store();
    }
}

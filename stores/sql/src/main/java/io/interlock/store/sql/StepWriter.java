package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.rules.DueRules;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.QueueRules;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the rules of one step have changed: one statement for each table, all rows of the step together. Runs that
 * give up a key are written before those that get one, so that no two have a key even between two statements. Belongs to one
 * thread.
 */
final class StepWriter {

    private static final String RUN_END = "state text, since bigint, status text";
    private static final String RUN = """
            run_id uuid, number bigint, tenant text, name text, job text, place bigint, submitted_at bigint, spec text,
            """ + RUN_END;
    private static final String OPEN_KEY = "tenant text, busy int, name text, rank bigint, seq bigint";
    private static final String OPEN_CHANGES = """
            state text, claimable int, claim_id uuid, seen_at bigint, missed int, due_at bigint, since bigint,
            status text""";
    private static final String OPEN = OPEN_KEY
            + ", number bigint, run_id uuid, job text, place bigint, submitted_at bigint, payload int, " + OPEN_CHANGES;
    private static final String OPEN_MOVES =
            "busy=new_busy int, rank=new_rank bigint, seq=new_seq bigint, place bigint, " + OPEN_CHANGES;
    static final String AUDIT = """
            at bigint, tenant text, name text, run_id uuid, token bigint, actor text, action text, state_before text,
            state_after text, reason text, correlation text, address text""";
    private static final String FAILED_KEY = "tenant text, state text, number bigint";
    private static final String FAILED_RUN = "run_id uuid, name text, job text, since bigint, code text";
    private static final String ATTEMPT = "run_id uuid, attempt int, ended_at bigint, next text, facts text";
    private static final String LETTER =
            "settled int, kind text, actor text, reason text, settled_at bigint, successor uuid";
    private static final String IDEMPOTENCY = "tenant text, name text, fingerprint text, run_id uuid, until bigint";
    private static final String OLD_NAME = "tenant text, name text, until bigint";

    /** The statements of a step, in their order. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
    private enum Write {
        LEASES(dialect -> dialect.update("lease", Step.KEY, KeyRow.WRITTEN)),
        WHOLE_LEASES(dialect -> dialect.update("lease", Step.KEY, KeyRow.WRITTEN + ", " + KeyRow.SELDOM_WRITTEN)),
        CLOSED(dialect -> dialect.delete("open_run", OPEN_KEY)),
        NEW_RUNS(dialect -> dialect.insert("run", RUN)),
        LABELS(dialect -> dialect.insert("run_label", "number bigint, tenant text, label text, value text")),
        ENDED_RUNS(dialect -> dialect.update("run", "run_id uuid", RUN_END)),
        MOVED_RUNS(dialect -> dialect.update("run", "run_id uuid", "place bigint, spec text")),
        CHANGED(dialect -> dialect.update("open_run", OPEN_KEY, OPEN_CHANGES)),
        LEAVING_BUSY(dialect -> dialect.update("open_run", OPEN_KEY, OPEN_MOVES)),
        BECOMING_BUSY(dialect -> dialect.update("open_run", OPEN_KEY, OPEN_MOVES)),
        OPENED(dialect -> dialect.insert("open_run", OPEN)),
        FAILED(dialect -> dialect.insert("failed_run", FAILED_KEY + ", " + FAILED_RUN)),
        ATTEMPTS(dialect -> dialect.insert("attempt", ATTEMPT)),
        LETTERS(dialect -> dialect.update("failed_run", FAILED_KEY, LETTER)),
        AUDIT(dialect -> dialect.insert("audit", StepWriter.AUDIT)),
        OLD_NAMES(dialect -> dialect.delete("idempotency", OLD_NAME)),
        // If another request under the same name was faster, the step is made again and finds it.
        NAMES(dialect -> dialect.insert("idempotency", IDEMPOTENCY));

        private final Function<Dialect, String> sql;

        Write(Function<Dialect, String> sql) {
            this.sql = sql;
        }
    }

    static final String HEARD = "UPDATE ${t:store} SET last_heard = ?, heard_since = ?";

    /** How much of an error's code is kept beside the run, to group by. */
    private static final int MOST_CODE = 100;

    private final Step step;
    private final Map<Write, Rows> rows = new EnumMap<>(Write.class);
    // In the order in which every step locks them.
    private final SortedMap<Step.Name, @Nullable Object[]> names = new TreeMap<>();
    private final List<Long> heard = new ArrayList<>();
    private final Map<RunId, UUID> claims = new HashMap<>();
    private final Map<LockKey, Long> waiters = new HashMap<>();
    private final List<LockKey> keysToWake = new ArrayList<>();
    private final Set<String> tenantsWithWork = new LinkedHashSet<>();

    StepWriter(Step step) {
        this.step = step;
    }

    /** Callers or a sweep were heard of at {@code now}. */
    void heard(long now, long since) {
        heard.clear();
        heard.add(now);
        heard.add(since);
    }

    void claimed(RunId run, UUID claim) {
        claims.put(run, claim);
    }

    /** A refused caller waits for {@code key}. */
    void waits(LockKey key, long until) {
        waiters.put(key, until);
    }

    /** A name counts no more that was kept until {@code until}. */
    void forget(Step.Name name, long until) {
        put(Write.OLD_NAMES, name.tenant(), name.name(), until);
    }

    /** A tenant knows a request again by this name. */
    void remember(Step.Name name, String fingerprint, RunId run, long until) {
        names.put(name, new @Nullable Object[] {name.tenant(), name.name(), fingerprint, run.toString(), until});
    }

    /** A record as a row of the table {@code audit}. */
    static @Nullable Object[] row(AuditRecord record) {
        return new @Nullable Object[] {
            Micros.of(record.at()),
            record.key().tenant(),
            record.key().name(),
            record.run() == null ? null : record.run().toString(),
            record.token() == null ? null : record.token().value(),
            Texts.shown(record.actor()),
            Texts.shown(record.action()),
            Texts.shown(record.before()),
            Texts.shown(record.after()),
            Texts.shown(record.reason()),
            Texts.shownOrNull(record.correlation()),
            Texts.shownOrNull(record.address())
        };
    }

    private void note(AuditRecord record) {
        put(Write.AUDIT, row(record));
        if (record.action().equals("stop-requested") || record.action().equals("evicted")) {
            keysToWake.add(record.key());
        }
    }

    List<LockKey> keysToWake() {
        return keysToWake;
    }

    /** Tenants with work for workers that was not there before. */
    Set<String> tenantsWithWork() {
        return tenantsWithWork;
    }

    /**
     * Whether the rules have changed one of these keys so far, or there is anything else to write. What a row would become by
     * being written again counts for nothing.
     */
    boolean wantsToWrite(Collection<LockKey> keys) {
        boolean beside = !(names.isEmpty() && waiters.isEmpty() && claims.isEmpty() && heard.isEmpty());
        return beside || keys.stream().anyMatch(this::isChanged);
    }

    private boolean isChanged(LockKey which) {
        Step.LoadedKey key = Objects.requireNonNull(step.key(which), "the key is loaded");
        KeyState state = key.state();
        KeyRow row = key.row();
        return !state.changes().isEmpty()
                || !same(state.lease().orElse(null), row.lease())
                || !same(state.reservation().orElse(null), row.reservation())
                || !same(state.resource().orElse(null), row.resource());
    }

    /** Whether the rules have changed anything, or anything else is to be written. */
    boolean hasChanges() {
        collect();
        return !(heard.isEmpty() && rows.isEmpty());
    }

    private boolean collected;

    /** Writes everything in the last trip of the step. Without changes the step ends without a trace. */
    void commit(Trip trip) throws SQLException {
        collect();
        write(trip, EnumSet.of(Write.LEASES, Write.WHOLE_LEASES));
        if (!heard.isEmpty()) {
            trip.update(HEARD, heard.get(0), heard.get(1));
        }
        write(trip, EnumSet.complementOf(EnumSet.of(Write.LEASES, Write.WHOLE_LEASES)));
        step.transaction().commit(trip);
    }

    private void write(Trip trip, Set<Write> writes) {
        Dialect dialect = trip.dialect();
        for (Write write : writes) {
            Rows changes = rows.get(write);
            if (changes != null) {
                trip.update(dialect.remembered(write.name(), () -> write.sql.apply(dialect)), changes);
            }
        }
    }

    private void put(Write write, @Nullable Object... values) {
        rows.computeIfAbsent(write, unused -> new Rows()).add(values);
    }

    private void collect() {
        if (collected) {
            return;
        }
        collected = true;
        for (Step.LoadedKey key : step.keys()) {
            collect(key);
        }
        names.values().forEach(values -> put(Write.NAMES, values));
    }

    /** Whether the caller of the run may still wait for its turn, and has to be woken to learn that the run has ended. */
    private static boolean endsForItsCaller(Run run) {
        return run.state().isTerminal() && run.spec().execution() == Execution.CALLER;
    }

    private void collect(Step.LoadedKey key) {
        KeyState state = key.state();
        KeyState.Changes changes = state.changes();
        KeyRow before = key.row();
        int resting = before.queue().resting();
        for (Run run : changes.runs()) {
            resting += collect(key, run);
        }
        flipClaimable(key);
        KeyRow after = after(key, resting);
        @Nullable Object[] values = after.values();
        @Nullable Object[] more = after.moreValues();
        boolean moreChanged = !Arrays.equals(more, before.moreValues());
        if ((moreChanged || !Arrays.equals(values, before.values())) && !(before.isAbsent() && after.saysNothing())) {
            if (moreChanged) {
                put(Write.WHOLE_LEASES, concat(values, more));
            } else {
                put(Write.LEASES, values);
            }
        }
        if ((before.lease() != null && after.lease() == null)
                || offers(before.reservation(), after.reservation())
                || changes.runs().stream().anyMatch(StepWriter::endsForItsCaller)) {
            keysToWake.add(before.key());
        }
        changes.attempts().stream()
                .filter(attempt -> attempt.next() == RunState.QUEUED)
                .forEach(this::collect);
        changes.letters().forEach(this::collect);
        changes.audit().forEach(this::note);
    }

    // Not Objects.equals, which asks the one also if the other is missing: what a record makes by itself is linked at
    // its first use, which costs each start of the command line milliseconds.
    private static boolean same(@Nullable Object one, @Nullable Object other) {
        return one == other || (one != null && other != null && one.equals(other));
    }

    private static boolean offers(@Nullable Reservation before, @Nullable Reservation after) {
        return after != null && after.until() != null && !after.equals(before);
    }

    private KeyRow after(Step.LoadedKey key, int resting) {
        KeyState state = key.state();
        KeyRow before = key.row();
        LeaseRow lease = state.lease().orElse(null);
        boolean plain = isPlain(state);
        long token = state.lastToken();
        if (plain) {
            StoreRow store = step.store();
            long epoch = (long) store.epoch() << TokenLayout.LOW_BITS;
            token = lease == null ? Math.max(token, Math.max(store.tokenFloor(), epoch)) : token;
        }
        KeyRow.QueueFacts queue = state.hasOpenRuns() ? queue(key, resting) : KeyRow.QueueFacts.EMPTY;
        boolean same = same(lease, before.lease());
        return new KeyRow(
                before.key(),
                lease,
                token,
                plain,
                waiters.getOrDefault(before.key(), before.waitersUntil()),
                same ? before.usedAt() : step.now(),
                state.reservation().orElse(null),
                queue,
                state.resource().orElse(null));
    }

    private boolean isPlain(KeyState state) {
        LeaseRow lease = state.lease().orElse(null);
        StoreRow store = step.store();
        return !state.hasOpenRuns()
                && state.reservation().isEmpty()
                && (lease == null || (lease.eviction() == null && !lease.probed()))
                && store.quietUntil() <= store.now()
                && !QueueRules.isPaused(state);
    }

    private KeyRow.QueueFacts queue(Step.LoadedKey key, int resting) {
        KeyState state = key.state();
        Instant due = DueRules.ofKey(state);
        due = DueRules.sooner(due, key.queue().nextDue(changedIds(state)));
        for (Run run : state.changes().runs()) {
            if (run.state() == RunState.QUEUED) {
                due = DueRules.sooner(due, DueRules.ofWaiting(run, state.now()));
            }
        }
        KeyRow.Blocked blocked = QueueRules.waitsForPlace(state)
                .map(run -> new KeyRow.Blocked(
                        QueueRules.place(run), run.number(), run.line().tenantMaxRunning()))
                .orElse(null);
        if (isBesideOthersOfItsTenant(key.row().key()) && QueueRules.isLeftToStart(state)) {
            due = DueRules.sooner(due, state.now());
        }
        return new KeyRow.QueueFacts(state.queueSize(), resting, due == null ? null : Micros.ceiling(due), blocked);
    }

    private boolean isBesideOthersOfItsTenant(LockKey key) {
        return step.keys().stream()
                        .filter(each -> each.row().key().tenant().equals(key.tenant()))
                        .count()
                > 1;
    }

    private static Set<RunId> changedIds(KeyState state) {
        return state.changes().runs().stream().map(Run::id).collect(Collectors.toSet());
    }

    /** Collects a changed run, and says how many more runs of its key rest now. */
    private int collect(Step.LoadedKey key, Run run) {
        KeyState state = key.state();
        boolean wasQueued = state.wasQueued(run);
        boolean wasResting = wasQueued && key.queue().rankOf(run.id()) >= LineRules.RESTING;
        Run before = state.isNew(run) ? null : stored(key, run);
        boolean ended = run.state().isTerminal();
        @Nullable
        Object[] end = {
            ended ? run.state().name() : null,
            ended ? Micros.of(run.status().since()) : null,
            ended ? StatusText.write(run.id(), run.status()) : null
        };
        if (before == null) {
            put(
                    Write.NEW_RUNS,
                    run.id().toString(),
                    run.number(),
                    run.key().tenant(),
                    run.key().name(),
                    run.job().value(),
                    QueueRules.place(run),
                    Micros.of(run.submittedAt()),
                    new SpecText(run.spec(), run.line()).write(),
                    end[0],
                    end[1],
                    end[2]);
            run.spec()
                    .labels()
                    .forEach((label, value) -> put(
                            Write.LABELS, run.number(), run.key().tenant(), Texts.shown(label), Texts.shown(value)));
        } else if (ended) {
            put(Write.ENDED_RUNS, run.id().toString(), end[0], end[1], end[2]);
        }
        if (before != null && before.spec().priority() != run.spec().priority()) {
            put(
                    Write.MOVED_RUNS,
                    run.id().toString(),
                    QueueRules.place(run),
                    new SpecText(run.spec(), run.line()).write());
        }
        boolean rests = collectOpen(key, run, before, wasQueued);
        if (run.state().isTerminal() && run.state() != RunState.SUCCEEDED) {
            put(
                    Write.FAILED,
                    run.key().tenant(),
                    run.state().name(),
                    run.number(),
                    run.id().toString(),
                    run.key().name(),
                    run.job().value(),
                    Micros.of(run.status().since()),
                    code(run.status().error()));
        }
        if (run.state() == RunState.PENDING && (before == null || before.state() != RunState.PENDING)) {
            tenantsWithWork.add(run.key().tenant());
        }
        return (rests ? 1 : 0) - (wasResting ? 1 : 0);
    }

    private static String code(@Nullable RunError error) {
        return error == null ? "" : code(error.code());
    }

    static String code(String written) {
        String code = Texts.shown(written);
        return code.length() <= MOST_CODE ? code : code.substring(0, MOST_CODE);
    }

    private static @Nullable Run stored(Step.LoadedKey key, Run run) {
        Run waiting = key.queue().stored(run.id());
        if (waiting != null) {
            return waiting;
        }
        return key.state().before().busy().stream()
                .filter(busy -> busy.id().equals(run.id()))
                .findFirst()
                .orElseThrow();
    }

    /** Moves a run in the table of open runs, and says whether it rests there. */
    private boolean collectOpen(Step.LoadedKey key, Run run, @Nullable Run before, boolean wasQueued) {
        Instant now = key.state().now();
        boolean busy = run.state() == RunState.PENDING || run.state() == RunState.RUNNING;
        boolean ready = QueueRules.isReady(run, now);
        long rank = busy ? 0 : LineRules.rank(run, now);
        long seq = busy ? 0 : run.number();
        String tenant = run.key().tenant();
        String name = run.key().name();
        boolean rests = !busy && !ready && !run.state().isTerminal();
        if (before == null) {
            if (!run.state().isTerminal()) {
                @Nullable
                Object[] place = {
                    tenant,
                    busy ? 1 : 0,
                    name,
                    rank,
                    seq,
                    run.number(),
                    run.id().toString(),
                    run.job().value(),
                    QueueRules.place(run),
                    Micros.of(run.submittedAt()),
                    OpenRuns.payload(run.spec())
                };
                put(Write.OPENED, concat(place, changing(key, run, busy)));
            }
            return rests;
        }
        long oldRank = wasQueued ? key.queue().rankOf(run.id()) : 0;
        @Nullable Object[] old = {tenant, wasQueued ? 0 : 1, name, oldRank, wasQueued ? run.number() : 0L};
        if (run.state().isTerminal()) {
            put(Write.CLOSED, old);
        } else if (busy == !wasQueued && rank == oldRank) {
            put(Write.CHANGED, concat(old, changing(key, run, busy)));
        } else {
            put(
                    busy ? Write.BECOMING_BUSY : Write.LEAVING_BUSY,
                    concat(
                            concat(old, new @Nullable Object[] {busy ? 1 : 0, rank, seq, QueueRules.place(run)}),
                            changing(key, run, busy)));
        }
        return rests;
    }

    private @Nullable Object[] changing(Step.LoadedKey key, Run run, boolean busy) {
        Instant now = key.state().now();
        Waiter waiter = run.status().waiter();
        Instant due = busy ? DueRules.ofBusy(run, key.state().lease().orElse(null), now) : DueRules.ofWaiting(run, now);
        UUID claim = claims.get(run.id());
        boolean claimable = run.state() == RunState.PENDING && !QueueRules.isPaused(key.state());
        return new @Nullable Object[] {
            run.state().name(),
            claimable ? 1 : 0,
            claim == null || run.state() != RunState.RUNNING ? null : claim.toString(),
            waiter == null || busy ? null : Micros.of(waiter.seenAt()),
            waiter != null && waiter.missedOffer() ? 1 : 0,
            due == null ? null : Micros.ceiling(due),
            Micros.of(run.status().since()),
            StatusText.write(run.id(), run.status())
        };
    }

    // A run that waits for a worker may be claimed again once its pause is over, though nothing about it changes.
    private void flipClaimable(Step.LoadedKey key) {
        Boolean was = key.claimable();
        Run pending = key.state().before().busy().stream().findFirst().orElse(null);
        if (was == null || pending == null || pending.state() != RunState.PENDING) {
            return;
        }
        boolean changed =
                key.state().changes().runs().stream().anyMatch(run -> run.id().equals(pending.id()));
        boolean may = !QueueRules.isPaused(key.state());
        if (!changed && may != was) {
            put(
                    Write.CHANGED,
                    concat(
                            new @Nullable Object[] {
                                pending.key().tenant(), 1, pending.key().name(), 0L, 0L
                            },
                            changing(key, pending, true)));
            if (may) {
                tenantsWithWork.add(pending.key().tenant());
            }
        }
    }

    private void collect(Attempt attempt) {
        put(
                Write.ATTEMPTS,
                attempt.run().toString(),
                attempt.turn().attempt(),
                Micros.of(attempt.endedAt()),
                attempt.next().name(),
                StatusText.write(attempt));
    }

    private void collect(DeadLetter letter) {
        letter.settled()
                .ifPresent(done -> put(
                        Write.LETTERS,
                        letter.run().key().tenant(),
                        RunState.DEAD.name(),
                        letter.run().number(),
                        1,
                        done.kind().name(),
                        done.actor(),
                        done.reason(),
                        Micros.of(done.at()),
                        done.successor() == null ? null : done.successor().toString()));
    }

    private static @Nullable Object[] concat(@Nullable Object[] a, @Nullable Object[] b) {
        @Nullable Object[] both = new @Nullable Object[a.length + b.length];
        System.arraycopy(a, 0, both, 0, a.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}

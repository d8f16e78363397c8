package io.interlock.store.memory;

import static java.util.Objects.requireNonNull;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.DeadLetter;
import io.interlock.run.JobName;
import io.interlock.run.Pause;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.rules.ClaimRules.TenantTurns;
import io.interlock.spi.run.rules.DueRules;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases and runs of one store: rows by key, and indexes that find what a step needs without reading all keys, waiting runs or
 * history. Guarded by its monitor, except where stated otherwise.
 */
final class RunRows {

    private static final TenantRows WITHOUT_RUNS = new TenantRows("");

    final LeaseRows leases = new LeaseRows();
    final MemoryAudit audit;
    final NameRows names = new NameRows(this::releaseIfEnded);
    final MemoryNotes notes;
    final MemoryAccess access;
    final PauseRows pauses = new PauseRows();
    final HistoryRows history = new HistoryRows();

    private final Map<LockKey, KeyRow> keys = new ConcurrentHashMap<>();
    private final Map<String, TenantRows> tenants = new HashMap<>();
    private final Map<UUID, Set<LockKey>> claims = new HashMap<>();
    private final TenantTurns tenantTurns = new TenantTurns();
    private final TenantRows.DueKeys due = new TenantRows.DueKeys();
    private final RunCounts runCounts = new RunCounts();
    private Instant lastHeard;
    private Instant heardSince;
    private long submitted;

    RunRows(Supplier<Instant> clock) {
        audit = new MemoryAudit(clock);
        notes = new MemoryNotes(clock);
        access = new MemoryAccess(audit, clock);
        lastHeard = clock.get();
        heardSince = lastHeard;
    }

    /** Whether the key has runs. */
    boolean know(LockKey key) {
        return keys.containsKey(key);
    }

    /** The keys with runs or resources. Needs no monitor. */
    List<LockKey> keys() {
        return List.copyOf(keys.keySet());
    }

    KeyRows read(LockKey key) {
        LeaseRow lease = leases.find(key);
        long lastToken = lease == null ? 0 : lease.token().value();
        KeyRow row = keys.get(key);
        return row == null ? KeyRows.ofLease(lease, lastToken) : row.rows(lease, lastToken);
    }

    /** The data of the tenant's other keys for the rules. */
    TenantSlots slots(LockKey key, Instant now) {
        KeyRow row = keys.get(key);
        // Not stored, because a query must not create data of a tenant.
        return tenants.getOrDefault(key.tenant(), WITHOUT_RUNS).slots(key, row == null ? null : row.reservation, now);
    }

    /**
     * Stores the changes of a step.
     *
     * @return whether a run may be claimed now that could not be claimed before
     */
    boolean write(LockKey key, KeyState state) {
        KeyState.Changes changes = state.changes();
        leases.write(key, state);
        changes.letters().forEach(letter -> settle(letter.run(), requireNonNull(letter.disposition())));
        changes.audit().forEach(audit::append);
        KeyRow row = keys.get(key);
        if (row == null) {
            if (changes.runs().isEmpty() && state.resource().isEmpty()) {
                return false;
            }
            row = new KeyRow(key, tenant(key));
        }
        Instant now = state.now();
        // Read first: the rules count the changes of this step themselves.
        Run waitsForPlace = QueueRules.waitsForPlace(state).orElse(null);
        Instant next = DueRules.ofKey(state);
        for (Run run : changes.runs()) {
            put(row, run, now);
        }
        changes.attempts().forEach(history::add);
        row.tenant.moveOffer(key, row.reservation, state.reservation().orElse(null));
        row.reservation = state.reservation().orElse(null);
        row.resource = state.resource().orElse(null);
        for (Run run : row.busy()) {
            next = DueRules.sooner(next, DueRules.ofBusy(run, state.lease().orElse(null), now));
        }
        moveDue(row, row.hasOpenRuns() ? DueRules.sooner(next, row.queue().nextDue(Set.of())) : null);
        moveWaiting(row, waitsForPlace);
        boolean more = moveClaimable(row, now);
        forgetClaimIfOver(row);
        keepIfNeeded(row);
        return more;
    }

    /** Stores the current run in its row and in the counts. */
    void put(Run run, Instant now) {
        KeyRow known = keys.get(run.key());
        KeyRow row = known == null ? new KeyRow(run.key(), tenant(run.key())) : known;
        put(row, run, now);
        keepIfNeeded(row);
    }

    Optional<Run> run(RunId id) {
        return history.find(id);
    }

    /** The data of a key besides its lease, if it has runs or a resource. */
    Optional<KeyRow> find(LockKey key) {
        return Optional.ofNullable(keys.get(key));
    }

    OpenRuns openRuns(String tenant, long most) {
        return runCounts.open(tenant, most);
    }

    List<RunCount> runCounts() {
        return runCounts.all();
    }

    long nextNumber() {
        return submitted + 1;
    }

    /**
     * Records that callers can report now. After a time in which they could not, their silence counts only from now on.
     */
    void heard(Instant now) {
        heardSince = heardSince(now);
        lastHeard = now;
    }

    /** Since when callers could report. */
    Instant heardSince(Instant now) {
        return lastHeard.plus(Waiter.STALE_AFTER).isBefore(now) ? now : heardSince;
    }

    /** Deletes up to {@code limit} runs older than their retention, and returns how many. */
    int forgetRuns(Retention retention, Instant now, int limit) {
        List<Run> forgotten = history.forget(retention, now, limit);
        forgotten.forEach(run -> {
            notes.forget(run.id());
            runCounts.remove(run);
        });
        return forgotten.size();
    }

    /** Up to {@code limit} keys that are due, of one tenant or, with {@code null}, of all, the longest due first. */
    List<LockKey> due(@Nullable String tenant, Instant now, int limit) {
        if (tenant == null) {
            return due.at(now, limit);
        }
        TenantRows rows = tenants.get(tenant);
        return rows == null ? List.of() : rows.due.at(now, limit);
    }

    /**
     * Marks up to {@code limit} further keys of ended pauses as due.
     *
     * @param tenant the tenant, or {@code null} for all
     */
    void endPauses(@Nullable String tenant, Instant now, int limit) {
        pauses.endThoseOver(now);
        for (KeyRow row : pauses.nextToSettle(null, tenant, limit, this::openKeys)) {
            if (row.due == null || row.due.isAfter(now)) {
                moveDue(row, now);
            }
        }
    }

    /** Up to {@code limit} further keys of the ended {@code pause}. */
    List<LockKey> nextToSettle(Pause pause, int limit) {
        return pauses.nextToSettle(pause, null, limit, this::openKeys).stream()
                .map(row -> row.key)
                .toList();
    }

    /** The tenants with keys that wait for a place. */
    List<String> tenantsThatWait() {
        return tenants.values().stream()
                .filter(TenantRows::hasWaiting)
                .map(tenant -> tenant.name)
                .toList();
    }

    /** The key that gets the tenant's next free place, if there is a place and a waiting key. */
    Optional<LockKey> nextForPlace(String tenant, Instant now) {
        return Optional.ofNullable(tenants.get(tenant))
                .map(rows -> rows.nextForPlace(now))
                .map(Run::key);
    }

    void claimed(LockKey key, UUID claim, LeaseId lease) {
        tenantTurns.took(key.tenant());
        KeyRow row = keys.get(key);
        if (row != null) {
            forgetClaim(row);
            row.claim = new KeyRow.Claim(claim, lease);
            claims.computeIfAbsent(claim, id -> new HashSet<>()).add(key);
        }
    }

    List<LockKey> claimedBy(UUID claim) {
        return List.copyOf(claims.getOrDefault(claim, Set.of()));
    }

    /**
     * Runs that may be claimed.
     *
     * @param runs the found runs, in the order of claiming
     */
    record Candidates(List<Run> runs, boolean isAll) {}

    /**
     * Finds up to {@code limit} runs for a claim: the first of every tenant, then the second of every tenant, so that
     * a long queue of one tenant does not delay others. Runs of paused keys are set aside until the end of their pause.
     *
     * @param turns how many runs each tenant has had already
     */
    Candidates candidates(ClaimRequest request, Instant now, Set<RunId> tried, Map<String, Integer> turns, int limit) {
        record Candidate(int turn, long last, Run run) {}
        List<Candidate> found = new ArrayList<>();
        List<Run> paused = new ArrayList<>();
        boolean isAll = true;
        for (TenantRows tenant : wanted(request)) {
            List<Run> first = tenant.claimable(request.jobs(), tried, limit);
            isAll &= first.size() < limit;
            int turn = turns.getOrDefault(tenant.name, 0);
            for (Run run : first) {
                if (pauses.cover(run.key(), now)) {
                    paused.add(run);
                } else {
                    found.add(new Candidate(turn++, tenantTurns.last(tenant.name), run));
                }
            }
        }
        paused.forEach(run -> moveClaimable(requireNonNull(keys.get(run.key())), now));
        return new Candidates(
                found.stream()
                        .sorted(Comparator.comparingInt(Candidate::turn)
                                .thenComparingLong(Candidate::last)
                                .thenComparing(Candidate::run, QueueRules.ORDER))
                        .limit(limit)
                        .map(Candidate::run)
                        .toList(),
                isAll && found.size() <= limit);
    }

    private Collection<TenantRows> wanted(ClaimRequest request) {
        return request.tenant() == null
                ? tenants.values()
                : Optional.ofNullable(tenants.get(request.tenant())).stream().toList();
    }

    private TenantRows tenant(LockKey key) {
        return tenants.computeIfAbsent(key.tenant(), TenantRows::new);
    }

    private NavigableMap<String, KeyRow> openKeys(String tenant) {
        TenantRows rows = tenants.get(tenant);
        return rows == null ? Collections.emptyNavigableMap() : rows.open();
    }

    private void put(KeyRow row, Run run, Instant now) {
        Run before = history.put(run);
        submitted = Math.max(submitted, run.number());
        boolean waits = run.state() == RunState.QUEUED;
        row.put(run, waits && QueueRules.isReady(run, now), waits ? DueRules.ofWaiting(run, now) : null);
        row.tenant.countBusy(isBusy(run) - (before == null ? 0 : isBusy(before)));
        if (before != null) {
            runCounts.remove(before);
        }
        if (!run.state().isTerminal() || history.isOpenLetter(run)) {
            runCounts.add(run);
        }
        if (run.state().isTerminal() && !names.stand(run.id())) {
            history.release(run);
        }
    }

    private void settle(Run letter, DeadLetter.Disposition disposition) {
        history.settle(letter.id(), disposition);
        runCounts.remove(letter);
    }

    private void releaseIfEnded(RunId id) {
        history.find(id).filter(run -> run.state().isTerminal()).ifPresent(history::release);
    }

    private void moveDue(KeyRow row, @Nullable Instant next) {
        due.move(row.key, row.due, next);
        row.tenant.due.move(row.key, row.due, next);
        row.due = next;
    }

    private void moveWaiting(KeyRow row, @Nullable Run next) {
        if (row.waitsForPlace != null) {
            row.tenant.removeWaiting(row.waitsForPlace);
        }
        if (next != null) {
            row.tenant.addWaiting(next);
        }
        row.waitsForPlace = next;
    }

    /** Lets claims find the key's PENDING run, unless the key is paused. */
    private boolean moveClaimable(KeyRow row, Instant now) {
        List<Run> next = pauses.cover(row.key, now)
                ? List.of()
                : row.busy().stream()
                        .filter(run -> run.state() == RunState.PENDING)
                        .toList();
        row.claimable.forEach(row.tenant::removeClaimable);
        next.forEach(row.tenant::addClaimable);
        boolean more = next.size() > row.claimable.size();
        row.claimable = next;
        return more;
    }

    private void forgetClaimIfOver(KeyRow row) {
        KeyRow.Claim claim = row.claim;
        if (claim != null && row.busy().stream().noneMatch(run -> isOf(claim, run))) {
            forgetClaim(row);
        }
    }

    private void forgetClaim(KeyRow row) {
        if (row.claim != null) {
            claims.computeIfPresent(
                    row.claim.id(), (id, known) -> known.remove(row.key) && known.isEmpty() ? null : known);
            row.claim = null;
        }
    }

    private static boolean isOf(KeyRow.Claim claim, Run run) {
        Turn turn = run.status().turn();
        return run.state() == RunState.RUNNING && turn != null && turn.lease().equals(claim.lease());
    }

    private void keepIfNeeded(KeyRow row) {
        TenantRows tenant = row.tenant;
        boolean wasKept = row.isNeeded() ? keys.put(row.key, row) != null : keys.remove(row.key) != null;
        tenant.countKeys((row.isNeeded() ? 1 : 0) - (wasKept ? 1 : 0));
        if (row.hasOpenRuns()) {
            tenant.open().put(row.key.name(), row);
        } else {
            tenant.open().remove(row.key.name());
        }
        if (!tenant.isNeeded()) {
            tenants.remove(tenant.name);
        }
    }

    private static int isBusy(Run run) {
        return run.state() == RunState.PENDING || run.state() == RunState.RUNNING ? 1 : 0;
    }

    /**
     * Runs that have not ended, and open dead letters, by tenant, job and state. Guarded by the monitor of its
     * {@link RunRows}.
     */
    static final class RunCounts {

        private final Map<Counted, NavigableSet<Run>> counts = new HashMap<>();

        private record Counted(String tenant, JobName job, RunState state) {

            static Counted by(Run run) {
                return new Counted(run.key().tenant(), run.job(), run.state());
            }
        }

        void add(Run run) {
            counts.computeIfAbsent(Counted.by(run), counted -> new TreeSet<>(HistoryRows.BY_END))
                    .add(run);
        }

        void remove(Run run) {
            counts.computeIfPresent(
                    Counted.by(run), (counted, runs) -> runs.remove(run) && runs.isEmpty() ? null : runs);
        }

        List<RunCount> all() {
            return counts.entrySet().stream()
                    .map(entry -> count(entry.getKey(), entry.getValue()))
                    .sorted(Comparator.comparing(RunCount::tenant)
                            .thenComparing(RunCount::job)
                            .thenComparing(RunCount::state))
                    .toList();
        }

        OpenRuns open(String tenant, long most) {
            List<Run> open = counts.entrySet().stream()
                    .filter(entry -> entry.getKey().tenant().equals(tenant)
                            && entry.getKey().state() != RunState.DEAD)
                    .flatMap(entry -> entry.getValue().stream())
                    .limit(most)
                    .toList();
            return new OpenRuns(
                    open.size(),
                    open.stream().mapToLong(run -> OpenRuns.payload(run.spec())).sum());
        }

        private static RunCount count(Counted what, NavigableSet<Run> runs) {
            return new RunCount(
                    what.tenant(),
                    what.job(),
                    what.state(),
                    runs.size(),
                    runs.first().status().since());
        }
    }
}

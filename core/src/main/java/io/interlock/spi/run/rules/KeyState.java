package io.interlock.spi.run.rules;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.Transition;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One key as a step sees it: its lease, its reservation, its busy run, the front of its queue and its resource. Rules
 * change it; the store then writes back {@link #lease()}, {@link #reservation()}, {@link #resource()} and
 * {@link #changes()}. It contains only what the step has loaded and changed, never the whole queue. Not thread-safe.
 *
 * <p>Runs change state only in {@link #move}.
 */
public final class KeyState {

    private final StepContext context;
    private final KeyRows rows;
    private @Nullable LeaseRow lease;
    private @Nullable Reservation reservation;
    private @Nullable Resource resource;
    private long lastToken;
    private int moreBusy;
    private int leftQueue;
    private boolean unfinished;
    private final Map<RunId, Run> open = new LinkedHashMap<>();
    private final Map<RunId, Run> changed = new LinkedHashMap<>();
    private final Set<RunId> newcomers = new HashSet<>();
    private final Set<RunId> queuedBefore = new HashSet<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<DeadLetter> letters = new ArrayList<>();
    private final List<AuditRecord> audit = new ArrayList<>();

    /**
     * The changes of a step, besides lease, reservation and resource.
     *
     * @param runs all changed runs, including ended ones
     * @param attempts the attempts that ended
     * @param letters the dead letters that were settled
     * @param audit the audit records, in order, without sequence numbers
     */
    public record Changes(
            Collection<Run> runs, List<Attempt> attempts, List<DeadLetter> letters, List<AuditRecord> audit) {

        /** Whether there are none. */
        public boolean isEmpty() {
            return runs.isEmpty() && attempts.isEmpty() && letters.isEmpty() && audit.isEmpty();
        }
    }

    /** The stored state of a key. */
    public KeyState(StepContext context, KeyRows rows) {
        this.context = context;
        this.rows = rows;
        lease = rows.lease();
        lastToken = rows.lastToken();
        reservation = rows.reservation();
        resource = rows.resource();
        rows.busy().forEach(run -> open.put(run.id(), run));
    }

    /** The changes, for the tables other than the key's own row. */
    public Changes changes() {
        return new Changes(
                List.copyOf(changed.values()), List.copyOf(attempts), List.copyOf(letters), List.copyOf(audit));
    }

    /** The key as the step found it. */
    public KeyRows before() {
        return rows;
    }

    /** The lease, including an ended one that was not deleted. */
    public Optional<LeaseRow> lease() {
        return Optional.ofNullable(lease);
    }

    /** The last token of the key, or 0. */
    public long lastToken() {
        return lastToken;
    }

    public Optional<Reservation> reservation() {
        return Optional.ofNullable(reservation);
    }

    public Optional<Resource> resource() {
        return Optional.ofNullable(resource);
    }

    /** The store's time. */
    public Instant now() {
        return context.now();
    }

    /** Whether any run of the key has not ended. */
    public boolean hasOpenRuns() {
        return busy().findAny().isPresent() || queueSize() > 0;
    }

    /** How many runs wait. */
    public int queueSize() {
        return rows.queue().size() + leftQueue;
    }

    /** Whether {@code run}, which this step has changed, was in the store's queue before. */
    public boolean wasQueued(Run run) {
        return queuedBefore.contains(run.id());
    }

    /** Whether this step added {@code run}. */
    public boolean isNew(Run run) {
        return newcomers.contains(run.id());
    }

    /** The PENDING or RUNNING run, if there is one. */
    public Optional<Run> busyRun() {
        return busy().findFirst();
    }

    /** How many more runs of the key are PENDING or RUNNING than before. */
    public int busyChange() {
        return moreBusy;
    }

    StepContext context() {
        return context;
    }

    public LockKey key() {
        return context.key();
    }

    /** How many runs of the tenant are running, including those of this step. */
    int tenantBusy() {
        return context.tenant().busy() + moreBusy;
    }

    public @Nullable LeaseRecord leaseRecord() {
        return lease == null ? null : lease.record(key(), now());
    }

    /** A token greater than all earlier ones of the key. */
    FencingToken nextToken() {
        StepContext.Tokens tokens = context.tokens();
        return TokenLayout.next(lastToken, tokens.floor(), tokens.epoch(), now());
    }

    /** The run of this key with {@code id}, if it has not ended. */
    Optional<Run> run(RunId id) {
        Run known = open.get(id);
        if (known != null || changed.containsKey(id)) {
            return Optional.ofNullable(known);
        }
        return rows.queue().find(id);
    }

    /** A run of this key as this step leaves it, even if the step ended it. */
    Run latest(Run run) {
        return changed.getOrDefault(run.id(), run);
    }

    private Stream<Run> busy() {
        return open.values().stream().filter(run -> countsAsBusy(run.state()) > 0);
    }

    /** All RUNNING runs; more than one only if a table was changed by hand. */
    Stream<Run> allRunning() {
        return open.values().stream().filter(run -> run.state() == RunState.RUNNING);
    }

    Optional<Run> running() {
        return allRunning().findFirst();
    }

    /** The run that works under the lease. */
    Optional<Run> holder() {
        return running().filter(this::hasLease);
    }

    /** The run that has the reservation. */
    Optional<Run> reserved() {
        return reservation().flatMap(kept -> run(kept.run()));
    }

    boolean isReservedFor(Run run) {
        return reservation != null && reservation.run().equals(run.id());
    }

    /** Up to {@code limit} ready runs in their order, without those in {@code passed}. */
    List<Run> front(Set<RunId> passed, int limit) {
        List<Run> stored = rows.queue().front(except(passed), limit);
        if (changed.isEmpty()) {
            return stored;
        }
        Stream<Run> mine = changedQueue().filter(run -> QueueRules.isReady(run, now()) && !passed.contains(run.id()));
        return Stream.concat(mine, stored.stream())
                .sorted(QueueRules.ORDER)
                .limit(limit)
                .toList();
    }

    /** The first of all waiting runs, ready or not. */
    Optional<Run> firstWaiting() {
        List<Run> ready = front(Set.of(), 1);
        if (!ready.isEmpty()) {
            return Optional.of(ready.get(0));
        }
        return Stream.concat(changedQueue(), rows.queue().resting(changed.keySet(), 1).stream())
                .min(QueueRules.ORDER);
    }

    /** Up to {@code limit} waiting runs that are due and that this step has not processed yet. */
    List<Run> due(int limit) {
        return rows.queue().due(now(), changed.keySet(), limit);
    }

    List<Run> waitingOf(JobName job) {
        return Stream.concat(
                        changedQueue().filter(run -> run.job().equals(job)),
                        rows.queue().ofJob(job, changed.keySet()).stream())
                .sorted(QueueRules.ORDER)
                .toList();
    }

    /** The place of a waiting run, from 1. */
    int position(Run run) {
        Comparator<Run> order = QueueRules.readyFirst(now());
        long changedAhead = changedQueue()
                .filter(other -> !other.id().equals(run.id()) && order.compare(other, run) < 0)
                .count();
        Set<RunId> except = new HashSet<>(changed.keySet());
        except.add(run.id());
        return 1 + (int) changedAhead + rows.queue().ahead(run, now(), except);
    }

    /** The waiting runs that this step has changed or added. */
    Stream<Run> changedQueue() {
        return changed.values().stream().filter(run -> run.state() == RunState.QUEUED);
    }

    /** Marks the key as due again, because a step may not do all of it. */
    void leaveUnfinished() {
        unfinished = true;
    }

    boolean isUnfinished() {
        return unfinished;
    }

    /** Whether {@code run} works under the lease. */
    boolean hasLease(Run run) {
        Turn turn = run.status().turn();
        return turn != null && lease != null && lease.isProvedBy(turn.lease(), turn.token());
    }

    /** Whether {@code run} works under the lease, which has this id and is live. */
    boolean hasLiveLease(Run run, LeaseId id) {
        return hasLease(run) && lease != null && lease.id().equals(id) && lease.isLive(now());
    }

    /** Sets a lease that the store has granted, or removes the lease. */
    public void setLease(@Nullable LeaseRow lease) {
        this.lease = lease;
        if (lease != null) {
            lastToken = Math.max(lastToken, lease.token().value());
        }
    }

    /** Evicts the lease; the key stays closed until it ends. */
    void evict(ChangeReason why) {
        if (lease != null && lease.eviction() == null) {
            lease = lease.evicted(new LeaseRecord.Eviction(why.actor().name(), why.reason(), now()));
        }
    }

    void setReservation(@Nullable Reservation reservation) {
        this.reservation = reservation;
    }

    /** Adds a newcomer to the queue, or in its next state. */
    Run add(Run run, RunState becomes) {
        note(
                run,
                "submitted",
                "",
                becomes.name(),
                new ChangeReason(run.spec().origin().actor(), "submitted"));
        newcomers.add(run.id());
        return put(run);
    }

    Run put(Run run) {
        if (!changed.containsKey(run.id())) {
            // Busy runs were loaded with the key; all other existing runs came from the queue.
            if (!open.containsKey(run.id()) && !newcomers.contains(run.id())) {
                queuedBefore.add(run.id());
                leftQueue--;
            }
        } else if (isQueued(changed.get(run.id()))) {
            leftQueue--;
        }
        leftQueue += isQueued(run) ? 1 : 0;
        changed.put(run.id(), run);
        if (run.state().isTerminal()) {
            open.remove(run.id());
        } else {
            open.put(run.id(), run);
        }
        return run;
    }

    Run move(Run run, RunStatus status, RunState to, ChangeReason why) {
        Run moved = moveSilently(run, status, to);
        note(moved, "run", run.state().name(), to.name(), why);
        return moved;
    }

    /** Changes the state of a newcomer, whose audit record already contains it. */
    Run moveSilently(Run run, RunStatus status, RunState to) {
        if (!run.state().canBecome(to)) {
            throw new IllegalStateException("run " + run.id() + " cannot become " + to + " from " + run.state());
        }
        moreBusy += countsAsBusy(to) - countsAsBusy(run.state());
        Run moved = put(run.with(status.moved(to, now())));
        if (to != RunState.PENDING && isReservedFor(run)) {
            reservation = null;
        }
        return moved;
    }

    /** Gives {@code run} the key: draws a token, writes the lease, sets the resource's state. */
    Run grant(Run run, SubmitRequest.Caller holder, FencingToken token) {
        Turn turn = new Turn(
                run.status().attempts() + 1,
                holder.lease(),
                token,
                holder.holder().forRun(run.id()),
                now());
        lease = new LeaseRow(
                turn.lease(),
                turn.holder(),
                token,
                now(),
                now().plus(run.spec().terms().ttl()),
                run.spec().terms().lockDelay(),
                null,
                false);
        lastToken = token.value();
        ChangeReason why = new ChangeReason(turn.holder().label(), "attempt " + turn.attempt());
        Run started = move(run, run.status().started(turn), RunState.RUNNING, why);
        run.spec().transition().ifPresent(guard -> moveResource(guard, started, why));
        return started;
    }

    void log(Attempt attempt) {
        attempts.add(attempt);
    }

    void settle(DeadLetter letter) {
        letters.add(letter);
    }

    /** Sets the resource to the {@code during} state of {@code guard}, and records its previous state. */
    private void moveResource(Transition guard, Run run, ChangeReason why) {
        Resource before = resource == null
                ? new Resource(key(), guard.resource(), Resource.UNTOUCHED, 0, null, Resource.UNTOUCHED, null)
                : resource;
        resource = new Resource(
                key(),
                guard.resource(),
                guard.during(),
                before.version() + 1,
                run.id(),
                before.settledState(),
                before.settledAt());
        note(run, "resource", before.state(), guard.during(), why);
    }

    /** Sets the resource owned by {@code run} to the final state of its guard. */
    void settleResource(Transition guard, Run run, ChangeReason why) {
        Resource owned = resource().orElseThrow();
        boolean succeeded = run.state() == RunState.SUCCEEDED;
        boolean goesBack = !succeeded && guard.failure().equals(Transition.PREVIOUS);
        String state = succeeded ? guard.success() : guard.afterFailure(owned);
        // A restored state keeps its original time.
        resource = new Resource(
                key(), guard.resource(), state, owned.version() + 1, null, state, goesBack ? owned.settledAt() : now());
        note(run, "resource", owned.state(), state, why);
    }

    void setResource(Resource resource) {
        this.resource = resource;
    }

    void note(AuditRecord record) {
        audit.add(record);
    }

    void note(Run run, String action, String before, String after, ChangeReason why) {
        Turn turn = run.status().turn();
        note(run, turn == null ? null : turn.token(), action, before, after, why);
    }

    /** Records a change of {@code run}, with the id of the request that caused it, else of the one that submitted the run. */
    void note(Run run, @Nullable FencingToken token, String action, String before, String after, ChangeReason why) {
        String asked = why.actor().correlation();
        note(AuditRecord.of(now(), key(), why.actor(), action, before, after, why.reason())
                .about(run.id(), token, asked == null ? run.spec().origin().correlation() : asked));
    }

    private Set<RunId> except(Set<RunId> passed) {
        if (passed.isEmpty()) {
            return changed.keySet();
        }
        Set<RunId> all = new HashSet<>(changed.keySet());
        all.addAll(passed);
        return all;
    }

    private static boolean isQueued(@Nullable Run run) {
        return run != null && run.state() == RunState.QUEUED;
    }

    private static int countsAsBusy(RunState state) {
        return state == RunState.PENDING || state == RunState.RUNNING ? 1 : 0;
    }

    /**
     * The actor and the reason of a change, for the audit log.
     */
    record ChangeReason(Actor actor, String reason) {

        ChangeReason(String actor, String reason) {
            this(Actor.of(actor), reason);
        }

        /** A change that follows from the rules alone. */
        static ChangeReason rule(String reason) {
            return new ChangeReason(AuditRecord.RULES, reason);
        }
    }
}

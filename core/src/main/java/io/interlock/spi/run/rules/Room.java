package io.interlock.spi.run.rules;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.Transition;
import io.interlock.run.Turn;
import io.interlock.spi.run.SubmitRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything about one key at one moment: its lease, whom it is kept for, its runs and its resource. Rules change it; the
 * store that made it then writes back {@link #contents()} and {@link #changes()}. Belongs to one thread.
 *
 * <p>Runs change state in {@link #move} and nowhere else.
 */
public final class Room {

    private final Facts facts;
    private final Map<RunId, Run> runs;
    private @Nullable LeaseRow lease;
    private @Nullable Reservation reservation;
    private @Nullable Resource resource;
    private long lastToken;
    private int tenantBusy;
    private final Map<RunId, Run> changed = new LinkedHashMap<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<DeadLetter> letters = new ArrayList<>();
    private final List<AuditRecord> audit = new ArrayList<>();

    /**
     * What a step has changed beside the contents.
     *
     * @param runs all runs that were changed, also those that have ended
     * @param attempts those that are over now
     * @param letters dead letters about which something was done now
     * @param audit what was done, in order, without sequence numbers
     */
    public record Changes(
            Collection<Run> runs, List<Attempt> attempts, List<DeadLetter> letters, List<AuditRecord> audit) {}

    /** A room as the store has it. */
    public Room(Facts facts, Contents contents) {
        this.facts = facts;
        runs = new HashMap<>(contents.runs());
        lease = contents.lease();
        lastToken = contents.lastToken();
        reservation = contents.reservation();
        resource = contents.resource();
        tenantBusy = facts.tenantBusy();
    }

    /** What the store has to keep. */
    public Contents contents() {
        return new Contents(lease, lastToken, reservation, runs, resource);
    }

    /** What was changed, for the tables beside it. */
    public Changes changes() {
        return new Changes(
                List.copyOf(changed.values()), List.copyOf(attempts), List.copyOf(letters), List.copyOf(audit));
    }

    Facts facts() {
        return facts;
    }

    LockKey key() {
        return facts.key();
    }

    Instant now() {
        return facts.now();
    }

    int tenantBusy() {
        return tenantBusy;
    }

    Optional<LeaseRow> lease() {
        return Optional.ofNullable(lease);
    }

    @Nullable
    LeaseRecord leaseRecord() {
        return lease == null ? null : lease.record(key(), now());
    }

    Optional<Reservation> reservation() {
        return Optional.ofNullable(reservation);
    }

    Optional<Resource> resource() {
        return Optional.ofNullable(resource);
    }

    Collection<Run> runs() {
        return List.copyOf(runs.values());
    }

    Optional<Run> run(RunId id) {
        return Optional.ofNullable(runs.get(id));
    }

    /** A run of this key as this step leaves it, also if it has ended in it. */
    Run latest(Run run) {
        return changed.getOrDefault(run.id(), run);
    }

    Optional<Run> running() {
        return runs.values().stream()
                .filter(run -> run.state() == RunState.RUNNING)
                .findFirst();
    }

    /** Whether the lease row is the one {@code run} works under. */
    boolean hasLease(Run run) {
        Turn turn = run.status().turn();
        return turn != null && lease != null && lease.isProvedBy(turn.lease(), turn.token());
    }

    void setLease(@Nullable LeaseRow lease) {
        this.lease = lease;
    }

    /** Takes the lease away from whoever has it; the key stays closed until it is over. */
    void evict(Why why) {
        if (lease != null && lease.eviction() == null) {
            lease = lease.evicted(new Eviction(why.actor(), why.reason(), now()));
        }
    }

    void setReservation(@Nullable Reservation reservation) {
        this.reservation = reservation;
    }

    Run add(Run run) {
        note(
                run,
                "submitted",
                "",
                run.state().name(),
                new Why(run.spec().origin().submitter(), "submitted"));
        return put(run);
    }

    Run put(Run run) {
        runs.put(run.id(), run);
        changed.put(run.id(), run);
        return run;
    }

    /** Moves a run on. */
    Run move(Run run, RunStatus facts, RunState to, Why why) {
        if (!run.state().canBecome(to)) {
            throw new IllegalStateException("run " + run.id() + " cannot become " + to + " from " + run.state());
        }
        tenantBusy += busy(to) - busy(run.state());
        Run moved = put(run.with(facts.moved(to, now())));
        if (to.isTerminal()) {
            runs.remove(run.id());
        }
        if (to != RunState.PENDING && reservation != null && reservation.run().equals(run.id())) {
            reservation = null;
        }
        note(moved, "run", run.state().name(), to.name(), why);
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
                null);
        lastToken = token.value();
        Why why = new Why(turn.holder().label(), "attempt " + turn.attempt());
        Run started = move(run, run.status().started(turn), RunState.RUNNING, why);
        run.spec().transition().ifPresent(guard -> setResource(guard, guard.during(), started, true, why));
        return started;
    }

    long lastToken() {
        return lastToken;
    }

    void log(Attempt attempt) {
        attempts.add(attempt);
    }

    void settle(DeadLetter letter) {
        letters.add(letter);
    }

    void setResource(Transition guard, String state, Run run, boolean owned, Why why) {
        String before = resource == null ? Resource.UNTOUCHED : resource.state();
        long version = resource == null ? 1 : resource.version() + 1;
        resource = new Resource(key(), guard.resource(), state, version, owned ? run.id() : null);
        note(run, "resource", before, state, why);
    }

    void note(AuditRecord record) {
        audit.add(record);
    }

    void setResource(Resource resource) {
        this.resource = resource;
    }

    void note(Run run, String action, String before, String after, Why why) {
        Turn turn = run.status().turn();
        audit.add(new AuditRecord(
                0,
                now(),
                key(),
                run.id(),
                turn == null ? null : turn.token(),
                why.actor(),
                action,
                before,
                after,
                why.reason(),
                run.spec().origin().correlation()));
    }

    private static int busy(RunState state) {
        return state == RunState.PENDING || state == RunState.RUNNING ? 1 : 0;
    }
}

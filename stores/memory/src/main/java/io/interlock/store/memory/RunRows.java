package io.interlock.store.memory;

import static java.util.Objects.requireNonNull;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.access.AccessKey;
import io.interlock.run.Attempt;
import io.interlock.run.DeadLetter;
import io.interlock.run.Disposition;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Explaining;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Reservation;
import io.interlock.spi.run.rules.Room;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one store and what belongs to them, beside the leases. Whoever reads or changes it holds its monitor, except
 * where it says otherwise.
 */
final class RunRows {

    final AuditRows audit = new AuditRows();
    final NameRows names = new NameRows();
    final NoteRows notes = new NoteRows();

    /** In the order in which they were added. */
    final Map<String, AccessKey> accessKeys = new LinkedHashMap<>();

    private final Map<RunId, Run> runs = new HashMap<>();
    private final Map<LockKey, Kept> rooms = new ConcurrentHashMap<>();
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<RunId, List<Attempt>> attempts = new HashMap<>();
    private final Map<RunId, Disposition> dispositions = new HashMap<>();
    private final Map<NameRows.Name, Pause> pauses = new LinkedHashMap<>();
    private long submitted;

    /** What is kept about a key beside its lease. */
    private record Kept(
            @Nullable Reservation reservation,
            Map<RunId, Run> runs,
            @Nullable Resource resource) {}

    /** Whether runs have anything to do with the key. Needs the key's slot, not the monitor. */
    boolean know(LockKey key) {
        return rooms.containsKey(key);
    }

    /** The keys with runs or resources. Needs no monitor. */
    List<LockKey> keys() {
        return List.copyOf(rooms.keySet());
    }

    /** The keys with runs that have not ended: those on which time can bring something about. Needs no monitor. */
    List<LockKey> keysAtWork() {
        return rooms.entrySet().stream()
                .filter(room -> !room.getValue().runs().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    Contents contents(LockKey key, @Nullable LeaseRow lease, long lastToken) {
        Kept kept = rooms.get(key);
        return kept == null
                ? new Contents(lease, lastToken, null, Map.of(), null)
                : new Contents(lease, lastToken, kept.reservation(), kept.runs(), kept.resource());
    }

    /** Takes over what a step has changed, the lease excepted. */
    void keep(LockKey key, Room room) {
        Contents contents = room.contents();
        Room.Changes changes = room.changes();
        if (contents.runs().isEmpty() && contents.resource() == null) {
            rooms.remove(key);
        } else {
            rooms.put(key, new Kept(contents.reservation(), contents.runs(), contents.resource()));
        }
        changes.runs().forEach(this::keep);
        changes.attempts()
                .forEach(attempt -> attempts.computeIfAbsent(attempt.run(), run -> new ArrayList<>())
                        .add(attempt));
        changes.letters().forEach(letter -> dispositions.put(letter.run().id(), requireNonNull(letter.disposition())));
        changes.audit().forEach(audit::append);
    }

    Optional<Run> run(RunId id) {
        return Optional.ofNullable(runs.get(id));
    }

    /** One run more than asked for, if there is one. */
    List<Run> runs(RunQuery query) {
        return runs.values().stream()
                .filter(query::matches)
                .sorted(Comparator.comparingLong(run -> query.descending() ? -run.number() : run.number()))
                .limit(query.limit() + 1L)
                .toList();
    }

    /** What was done about a run as a dead letter, or {@code null} if nothing was. */
    @Nullable
    Disposition disposition(RunId id) {
        return dispositions.get(id);
    }

    /** Dead letters in the order in which their runs were submitted. */
    Stream<DeadLetter> deadLetters() {
        return runs.values().stream()
                .filter(run -> run.state() == RunState.DEAD)
                .sorted(Comparator.comparingLong(Run::number))
                .map(run -> new DeadLetter(run, dispositions.get(run.id())));
    }

    /** Runs that have not ended, and dead ones about which nobody has done anything. */
    Stream<Run> toTally() {
        return runs.values().stream()
                .filter(run -> !run.state().isTerminal()
                        || (run.state() == RunState.DEAD && !dispositions.containsKey(run.id())));
    }

    Stream<Run> ended() {
        return runs.values().stream().filter(run -> run.state().isTerminal());
    }

    /** Forgets a run that has ended, and all that belongs to it. */
    void forget(RunId id) {
        runs.remove(id);
        attempts.remove(id);
        dispositions.remove(id);
        notes.forget(id);
    }

    /** How long the last attempts of the key's last successful runs took. */
    List<Duration> pastRuntimes(LockKey key) {
        return runs.values().stream()
                .filter(run -> run.key().equals(key) && run.state() == RunState.SUCCEEDED)
                .sorted(Comparator.comparing((Run run) -> run.status().since()).reversed())
                .limit(Explaining.PAST)
                .flatMap(run -> run.status().lastTurn().stream()
                        .map(turn ->
                                Duration.between(turn.startedAt(), run.status().since())))
                .toList();
    }

    List<Attempt> attempts(RunId id) {
        return List.copyOf(attempts.getOrDefault(id, List.of()));
    }

    Optional<Resource> resource(LockKey key) {
        return Optional.ofNullable(rooms.get(key)).map(Kept::resource);
    }

    /** Runs that keys are kept for, and that {@code request} asks for. */
    List<Run> pending(ClaimRequest request) {
        return rooms.values().stream()
                .flatMap(kept -> kept.runs().values().stream())
                .filter(run -> run.state() == RunState.PENDING
                        && request.wants(run.key().tenant())
                        && request.jobs().contains(run.job()))
                .toList();
    }

    int busy(String tenant) {
        return busy.getOrDefault(tenant, 0);
    }

    long nextNumber() {
        return submitted + 1;
    }

    List<Pause> pauses() {
        return List.copyOf(pauses.values());
    }

    void pause(Pause pause) {
        pauses.put(new NameRows.Name(pause.tenant(), pause.pattern()), pause);
    }

    Optional<Pause> resume(String tenant, String pattern) {
        return Optional.ofNullable(pauses.remove(new NameRows.Name(tenant, pattern)));
    }

    private void keep(Run run) {
        Run before = runs.put(run.id(), run);
        submitted = Math.max(submitted, run.number());
        int more = isBusy(run) - (before == null ? 0 : isBusy(before));
        if (more != 0) {
            busy.merge(run.key().tenant(), more, Integer::sum);
        }
    }

    private static int isBusy(Run run) {
        return run.state() == RunState.PENDING || run.state() == RunState.RUNNING ? 1 : 0;
    }
}

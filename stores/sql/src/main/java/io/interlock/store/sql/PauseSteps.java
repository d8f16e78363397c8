package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Pause;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.rules.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The table {@code pause}: pausing keys, and letting them go on. A pause that has ended stays there until its keys are settled. The row of a pause is written while no step is under way; what it means for the rows
 * of its keys is written afterwards, a page at a time, so that neither the number of keys nor that of waiting runs keeps other
 * tenants waiting. Safe for use by many threads.
 */
final class PauseSteps {

    static final String COLUMNS = "p.tenant, p.pattern, p.actor, p.reason, p.since, p.until";
    private static final String IN_FORCE = "SELECT " + COLUMNS
            + " FROM ${rows:k(tenant text)} JOIN ${t:pause} AS p ON p.tenant = k.tenant WHERE p.resumed = 0"
            + " ORDER BY p.since, p.pattern";

    /** Until where a pause is settled that has only begun; the name of every key is greater. */
    private static final String BEGUN = "\u0001";

    private static final String PUT_KEYS = "tenant text, pattern text";
    private static final String PUT =
            "actor text, reason text, since bigint, until bigint, resumed int, settled_to text";
    private static final String RESUME =
            "UPDATE ${t:pause} SET resumed = 1, settled_to = '' WHERE tenant = ? AND pattern = ? AND resumed = 0";
    private static final String KEYS = "SELECT l.tenant, l.name FROM ${t:lease} AS l WHERE l.tenant = ?";
    // What may be granted at once, and runs that may be claimed.
    private static final String OPEN = KEYS + " AND (l.plain = 1 OR l.reserved_for IS NOT NULL)";
    private static final String WAITING = KEYS + " AND (l.queued > 0 OR l.reserved_for IS NOT NULL)";
    private static final String ONLY_BEGUN = "SELECT " + COLUMNS
            + " FROM ${t:pause} AS p WHERE p.resumed = 0 AND p.settled_to = ? ORDER BY p.since LIMIT 100";
    private static final String IN_EFFECT = """
            UPDATE ${t:pause} SET settled_to = ''
             WHERE tenant = ? AND pattern = ? AND since = ? AND resumed = 0 AND settled_to = ?""";
    private static final String ENDED = "SELECT " + COLUMNS
            + ", p.settled_to FROM ${t:pause} AS p WHERE p.resumed = 1 OR p.until <= ? ORDER BY p.since LIMIT 100";
    private static final String MOVE_ON =
            "UPDATE ${t:pause} SET settled_to = ? WHERE tenant = ? AND pattern = ? AND since = ? AND settled_to = ?";
    private static final String DUE_NOW =
            "UPDATE ${t:lease} SET due_at = ? WHERE tenant = ? AND name = ? AND (due_at IS NULL OR due_at > ?)";
    private static final String DELETE =
            "DELETE FROM ${t:pause} WHERE tenant = ? AND pattern = ? AND since = ? AND (resumed = 1 OR until <= ?)";

    private final Database database;
    private final KeySteps steps;
    private final SqlStore.Feed feed;

    PauseSteps(Database database, KeySteps steps, SqlStore.Feed feed) {
        this.database = database;
        this.steps = steps;
        this.feed = feed;
    }

    Pause pause(PauseRequest request) {
        Pause pause = database.write(Database.Lane.STEPS, transaction -> {
            StoreRow store = alone(transaction);
            Instant now = Micros.moment(store.now());
            Instant until = request.time() == null ? null : Micros.moment(store.now() + Micros.of(request.time()));
            Pause made = new Pause(
                    request.tenant(), request.pattern(), request.actor().name(), request.reason(), now, until);
            Trip trip = transaction.trip();
            transaction
                    .dialect()
                    .put(
                            trip,
                            "pause",
                            PUT_KEYS,
                            PUT,
                            Rows.of(
                                    made.tenant(),
                                    made.pattern(),
                                    made.actor(),
                                    made.reason(),
                                    store.now(),
                                    until == null ? null : Micros.of(until),
                                    0,
                                    BEGUN));
            AuditTable.add(trip, made.begins(request.actor()));
            transaction.commit(trip);
            return made;
        });
        // Once this returns, nothing may be granted: keys that other steps have are waited for.
        takeEffect(pause, true);
        return pause;
    }

    /** Lets pauses take effect whose processes stopped before they had, as far as no other step has their keys. */
    void finishBegun() {
        database.peek(transaction -> transaction.list(ONLY_BEGUN, PauseSteps::read, BEGUN))
                .forEach(pause -> takeEffect(pause, false));
    }

    // A bare lease of these keys, or a claim of their runs, has to look at the pause from now on.
    private void takeEffect(Pause pause, boolean waits) {
        if (eachPage(pause, waits)) {
            database.write(Database.Lane.STEPS, transaction -> {
                Trip trip = transaction.trip();
                transaction.dialect().latchShared(trip);
                trip.update(IN_EFFECT, pause.tenant(), pause.pattern(), Micros.of(pause.since()), BEGUN);
                transaction.commit(trip);
                return true;
            });
        }
    }

    boolean resume(ResumeRequest request) {
        boolean ended = database.write(Database.Lane.STEPS, transaction -> {
            StoreRow store = alone(transaction);
            Trip trip = transaction.trip();
            Trip.Answer<Boolean> changed = trip.update(RESUME, request.tenant(), request.pattern());
            trip.run();
            if (changed.count() == 0) {
                if (transaction.mayHaveBeenDone()) {
                    throw new StoreUnavailableException(
                            database.store(), "lost the connection; whether the pause was there is not known");
                }
                return false;
            }
            Instant now = Micros.moment(store.now());
            Trip last = transaction.trip();
            AuditTable.add(
                    last, Pause.resumed(request.tenant(), request.pattern(), request.actor(), request.reason(), now));
            transaction.commit(last);
            return true;
        });
        if (ended) {
            settleEnded(1);
            feed.workAppeared(List.of(request.tenant()));
        }
        return ended;
    }

    /** Settles keys of pauses that have ended, up to {@code pages} pages of them. */
    void settleEnded(int pages) {
        for (int i = 0; i < pages; i++) {
            List<Ended> ended = database.peek(transaction -> transaction.list(
                    ENDED,
                    row -> new Ended(PauseSteps.read(row), row.getString(7)),
                    StoreRow.read(transaction).now()));
            if (ended.isEmpty()) {
                return;
            }
            ended.forEach(this::settlePage);
        }
    }

    /** A pause that has ended, and the last key that was settled. */
    private record Ended(Pause pause, String settledTo) {}

    // A key that another step has is left to the next call: that step may end without a trace, and then nothing else
    // would let the key go on.
    private void settlePage(Ended ended) {
        Pause pause = ended.pause();
        List<LockKey> keys = page(pause, WAITING, ended.settledTo());
        Set<LockKey> had = new HashSet<>();
        steps.eachReadable(keys, some -> had(some, true)).forEach(had::addAll);
        List<LockKey> unreadable = keys.stream()
                .filter(key -> !had.contains(key) && steps.isUnreadable(key))
                .toList();
        had.addAll(unreadable);
        List<LockKey> settled = keys.stream().takeWhile(had::contains).toList();
        boolean over = keys.size() < DueKeys.PAGE && settled.size() == keys.size();
        if (!over && settled.isEmpty()) {
            return;
        }
        // Meanwhile there may be a new pause like it, which has its own end.
        long since = Micros.of(pause.since());
        database.write(Database.Lane.STEPS, transaction -> {
            long now = StoreRow.read(transaction).now();
            Trip trip = transaction.trip();
            transaction.dialect().latchShared(trip);
            // Settled by who can read them.
            unreadable.forEach(key -> trip.update(DUE_NOW, now, key.tenant(), key.name(), now));
            if (over) {
                trip.update(DELETE, pause.tenant(), pause.pattern(), since, now);
            } else {
                String to = settled.get(settled.size() - 1).name();
                trip.update(MOVE_ON, to, pause.tenant(), pause.pattern(), since, ended.settledTo());
            }
            transaction.commit(trip);
            return true;
        });
    }

    /** Makes a step on these keys, which may settle them, and says which of them no other step had. */
    private Set<LockKey> had(List<LockKey> keys, boolean settles) {
        return steps.lockFirst(keys, (step, wanted) -> {
            if (settles) {
                step.keys().forEach(key -> Settlement.settle(key.state()));
            }
            return step.keys().stream().map(key -> key.row().key()).collect(Collectors.toSet());
        });
    }

    // A step that changes nothing else writes what the pause means for the rows of its keys.
    private boolean eachPage(Pause pause, boolean waits) {
        boolean all = true;
        String after = "";
        List<LockKey> keys;
        do {
            keys = page(pause, OPEN, after);
            all &= apply(keys, waits);
            after = keys.isEmpty() ? after : keys.get(keys.size() - 1).name();
        } while (keys.size() == DueKeys.PAGE);
        return all;
    }

    private boolean apply(List<LockKey> keys, boolean waits) {
        Set<LockKey> missing = new LinkedHashSet<>(keys);
        steps.eachReadable(keys, some -> had(some, false)).forEach(missing::removeAll);
        if (waits) {
            missing.forEach(key -> steps.alone(key, this::awaitStep));
        }
        // What cannot be read is not granted either.
        return waits || missing.stream().allMatch(steps::isUnreadable);
    }

    private boolean awaitStep(List<LockKey> key) {
        return steps.answer(
                        Database.Lane.STEPS,
                        key,
                        new KeySteps.Kind<>(List::of, all -> Step.Needs.KEYS, false, (step, each) -> true))
                .only();
    }

    private List<LockKey> page(Pause pause, String sql, String after) {
        String pattern = pause.pattern();
        boolean open = pattern.endsWith("*");
        String prefix = open ? pattern.substring(0, pattern.length() - 1) : pattern;
        return new Filter(sql, pause.tenant())
                .andBehind("l.name", after, prefix)
                .andIf("AND l.name = ?", open ? null : prefix)
                .and("ORDER BY l.name LIMIT ?", DueKeys.PAGE)
                .list(database, DueKeys::key);
    }

    /** Waits until no step is under way, and keeps others waiting until the transaction ends. */
    static StoreRow alone(Transaction transaction) throws SQLException {
        Trip trip = transaction.trip();
        transaction.dialect().latchAlone(trip);
        Trip.Answer<StoreRow> store = StoreRow.ask(trip);
        trip.run();
        return store.get();
    }

    /** The pauses of some tenants that have not been resumed, also those that have ended by themselves. */
    static Trip.Answer<List<Pause>> inForce(Trip trip, Rows tenants) {
        return trip.list(IN_FORCE, PauseSteps::read, tenants);
    }

    static Pause read(ResultSet row) throws SQLException {
        return new Pause(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                Micros.moment(row.getLong(5)),
                Micros.read(row, 6));
    }
}

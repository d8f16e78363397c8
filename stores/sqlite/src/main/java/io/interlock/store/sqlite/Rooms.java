package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.Run;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Facts;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Room;
import io.interlock.spi.run.rules.Settlement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Loads the {@link Room} of a key, lets a rule change it, and keeps what changed, within one {@link Step}. */
final class Rooms {

    private final Step step;
    private final RoomTable rooms;
    private final RunTable runs;
    private final AttemptTable attempts;
    private final LetterTable letters;
    private final AuditTable audit;
    private final PauseTable pauses;

    /** What a step found. */
    private record Before(
            @Nullable StoredLease lease, @Nullable RoomRow row, Facts facts, Contents contents) {}

    /** A rule about one key. */
    @FunctionalInterface
    interface Rule<T> {
        T apply(Room room) throws SQLException;
    }

    Rooms(Step step) {
        this.step = step;
        rooms = new RoomTable(step.session());
        runs = new RunTable(step.session());
        attempts = new AttemptTable(step.session());
        letters = new LetterTable(step.session());
        audit = new AuditTable(step.session());
        pauses = new PauseTable(step.session());
    }

    /** Whether the key has runs or a resource. */
    boolean know(LockKey key) throws SQLException {
        return rooms.find(key) != null;
    }

    /** Whether runs or pauses may have a say in who is granted the key. */
    boolean concern(LockKey key) throws SQLException {
        return rooms.concerns(key);
    }

    /** Settles what time has brought about on a key, then applies {@code rule}. */
    <T> T step(LockKey key, Rule<T> rule) throws SQLException {
        return apply(key, room -> {
            Settlement.settle(room);
            return rule.apply(room);
        });
    }

    /** Settles what time has brought about on a key, and says what that was. */
    List<SweepAction> settle(LockKey key) throws SQLException {
        return apply(key, Settlement::settle);
    }

    /** What {@code look} says of a key as it is. */
    <T> T look(LockKey key, Rule<T> look) throws SQLException {
        Before before = load(key);
        return look.apply(new Room(before.facts(), before.contents()));
    }

    private <T> T apply(LockKey key, Rule<T> rule) throws SQLException {
        Before before = load(key);
        Room room = new Room(before.facts(), before.contents());
        T answer = rule.apply(room);
        keep(before, room);
        return answer;
    }

    private Before load(LockKey key) throws SQLException {
        StoredLease lease = step.lease(key);
        RoomRow row = rooms.find(key);
        Contents contents = new Contents(
                lease == null ? null : lease.row(),
                lease == null ? 0 : lease.token().value(),
                row == null ? null : row.reservation(),
                row == null ? Map.of() : open(key),
                row == null ? null : row.resource());
        StoreState state = step.state();
        Facts facts = new Facts(
                key,
                Micros.moment(step.now()),
                state.tokens().epoch(),
                state.tokens().floor(),
                state.quietUntil() == 0 ? null : Micros.moment(state.quietUntil()),
                pauses.of(key.tenant()),
                runs.busy(key.tenant()),
                runs.nextNumber(),
                step.chance());
        return new Before(lease, row, facts, contents);
    }

    private Map<RunId, Run> open(LockKey key) throws SQLException {
        Map<RunId, Run> known = step.openRuns(key);
        return known != null ? known : runs.open(key);
    }

    private void keep(Before before, Room room) throws SQLException {
        Contents after = room.contents();
        Room.Changes changes = room.changes();
        boolean changed = !after.equals(before.contents())
                || !changes.runs().isEmpty()
                || !changes.attempts().isEmpty()
                || !changes.letters().isEmpty()
                || !changes.audit().isEmpty();
        if (changed ? step.mayWrite() : !step.isLooking()) {
            keepLease(before, after.lease());
            keepRuns(before, changes);
            keepRoom(before, after);
            step.wrote(before.facts().key(), after.runs());
        }
    }

    private void keepLease(Before before, @Nullable LeaseRow after) throws SQLException {
        StoredLease lease = before.lease();
        if (Objects.equals(before.contents().lease(), after)) {
            return;
        }
        if (after != null) {
            step.put(StoredLease.of(before.facts().key(), after, lease));
        } else if (lease != null) {
            step.free(lease);
        }
    }

    private void keepRuns(Before before, Room.Changes changes) throws SQLException {
        // Those that gave up the key first: no two may have it, not even between two statements.
        List<Run> inOrder = new ArrayList<>(changes.runs());
        inOrder.sort(Comparator.comparing(Rooms::isBusy));
        for (Run run : inOrder) {
            if (before.contents().runs().containsKey(run.id())) {
                runs.update(run);
            } else {
                runs.insert(run);
            }
        }
        for (Attempt attempt : changes.attempts()) {
            attempts.insert(attempt);
        }
        for (DeadLetter letter : changes.letters()) {
            letters.put(letter);
        }
        for (AuditRecord record : changes.audit()) {
            audit.append(record);
        }
    }

    private void keepRoom(Before before, Contents after) throws SQLException {
        LockKey key = before.facts().key();
        int busy = busy(after.runs().values()) - busy(before.contents().runs().values());
        RoomRow row = RoomRow.of(key, after, Due.of(before.facts(), busy, after));
        RoomRow there = before.row();
        if (there == null ? row == null : there.serves(row, step.now())) {
            return;
        }
        if (!step.mayWrite()) {
            return;
        }
        if (row == null) {
            rooms.delete(key);
        } else {
            rooms.put(row);
        }
    }

    private static int busy(Collection<Run> runs) {
        return (int) runs.stream().filter(Rooms::isBusy).count();
    }

    private static boolean isBusy(Run run) {
        return run.state() == RunState.PENDING || run.state() == RunState.RUNNING;
    }
}

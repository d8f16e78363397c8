package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.run.AuditRecord;
import io.interlock.run.Claimed;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.rules.Looking;
import io.interlock.spi.run.rules.Working;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs that look for keys to do something about, within one {@link Step}. */
final class ManyRooms {

    /** How many keys a claim, or the end of a pause, settles itself, so that it never keeps other writers out for long. */
    private static final int SETTLED_AT_ONCE = 100;

    /** How many keys are looked at for each that may be settled: many may be due, and have nothing to settle. */
    private static final int LOOKED_AT = 10;

    private final Step step;
    private final Rooms rooms;
    private final RoomTable table;
    private final PendingTable pending;

    ManyRooms(Step step) {
        this.step = step;
        rooms = new Rooms(step);
        table = new RoomTable(step.session());
        pending = new PendingTable(step.session());
    }

    List<Claimed> claim(ClaimRequest request) throws SQLException {
        List<Claimed> before = new ArrayList<>();
        for (LockKey key : pending.takenBy(request.id())) {
            rooms.step(key, room -> Working.claimedBefore(room, request)).ifPresent(before::add);
        }
        if (!before.isEmpty()) {
            return before;
        }
        // What has become free since somebody looked is claimed at once.
        settle(request.tenant(), SETTLED_AT_ONCE);
        return claimAnew(request);
    }

    private List<Claimed> claimAnew(ClaimRequest request) throws SQLException {
        List<Claimed> claimed = new ArrayList<>();
        Set<LockKey> tried = new HashSet<>();
        while (claimed.size() < request.max()) {
            List<LockKey> first = pending.first(request, step.now(), request.max() - claimed.size());
            if (!tried.addAll(first)) {
                break;
            }
            for (LockKey key : first) {
                Optional<Claimed> work = rooms.step(key, room -> Working.claim(room, request));
                if (work.isPresent() && step.mayWrite()) {
                    pending.take(work.get().run(), request.id());
                }
                work.ifPresent(claimed::add);
            }
        }
        return claimed;
    }

    /** Settles what time has brought about on up to {@code limit} keys of a tenant, or of all. */
    List<SweepAction> settle(@Nullable String tenant, int limit) throws SQLException {
        Settled settled = new Settled(limit);
        while (settled.goesOn(table.due(tenant, step.now(), settled.left()))) {
            // Each round has settled what was due before.
        }
        for (String blocked : tenant == null ? table.blockedTenants() : List.of(tenant)) {
            RunTable runs = new RunTable(step.session());
            while (settled.goesOn(table.unblocked(blocked, runs.busy(blocked)))) {
                // Each round has given away one turn.
            }
        }
        return settled.actions;
    }

    Pause pause(PauseRequest request) throws SQLException {
        Instant now = Micros.moment(step.now());
        Instant until = request.time() == null ? null : Micros.moment(step.now() + Micros.of(request.time()));
        Pause pause = new Pause(request.tenant(), request.pattern(), request.actor(), request.reason(), now, until);
        if (step.mayWrite()) {
            PauseTable pauses = new PauseTable(step.session());
            boolean again = pauses.find(request.tenant(), request.pattern()).isPresent();
            pauses.put(pause);
            note(pause, "paused", request.actor(), request.reason());
            if (again) {
                // It may take the place of a longer one, and those it keeps waiting have their turn sooner.
                settleLine(pause);
            }
        }
        return pause;
    }

    /** Ends a pause, and lets those have their turn whom it kept waiting. */
    boolean resume(ResumeRequest request) throws SQLException {
        PauseTable pauses = new PauseTable(step.session());
        Optional<Pause> pause = pauses.find(request.tenant(), request.pattern());
        if (pause.isPresent() && step.mayWrite()) {
            pauses.delete(pause.get());
            note(pause.get(), "resumed", request.actor(), request.reason());
            settleLine(pause.get());
        }
        return pause.isPresent();
    }

    /** What goes on under keys; people see what the store has, settled or not. */
    List<KeyView> views(KeyQuery query) throws SQLException {
        List<KeyView> views = new ArrayList<>();
        for (LockKey key : new ViewTable(step.session()).keys(query)) {
            rooms.look(key, Looking::view).ifPresent(views::add);
        }
        return List.copyOf(views);
    }

    private void settleLine(Pause pause) throws SQLException {
        List<LockKey> keys = table.queued(pause);
        for (int i = 0; i < keys.size(); i++) {
            if (i < SETTLED_AT_ONCE) {
                rooms.settle(keys.get(i));
            } else {
                // Whoever looks next settles it.
                table.dueAt(keys.get(i), step.now());
            }
        }
    }

    // Kept under the pattern as if that were a key.
    private void note(Pause pause, String action, String actor, String reason) throws SQLException {
        LockKey keys = LockKey.of(pause.tenant(), pause.pattern());
        Instant now = Micros.moment(step.now());
        new AuditTable(step.session())
                .append(new AuditRecord(0, now, keys, null, null, actor, action, "", "", reason, null));
    }

    /** What was settled so far. */
    private final class Settled {

        private final int limit;
        private final List<SweepAction> actions = new ArrayList<>();
        private final Set<LockKey> seen = new HashSet<>();
        private int keys;

        Settled(int limit) {
            this.limit = limit;
        }

        int left() {
            return limit - keys;
        }

        /** Settles these keys; false if there is nothing more to find, or enough was done. */
        boolean goesOn(List<LockKey> found) throws SQLException {
            if (found.isEmpty() || !step.mayWrite() || left() == 0 || seen.size() / LOOKED_AT >= limit) {
                return false;
            }
            boolean news = false;
            for (LockKey key : found) {
                news |= seen.add(key);
                List<SweepAction> here = rooms.settle(key);
                actions.addAll(here);
                keys += here.isEmpty() ? 0 : 1;
            }
            return news;
        }
    }
}

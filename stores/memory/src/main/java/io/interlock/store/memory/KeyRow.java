package io.interlock.store.memory;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The data of a key besides its lease, and its index entries in {@link RunRows}, whose monitor guards it. */
final class KeyRow {

    final LockKey key;
    final TenantRows tenant;

    @Nullable
    Reservation reservation;

    @Nullable
    Resource resource;

    /** The indexed due time of the key. */
    @Nullable
    Instant due;

    /** The indexed run that waits for a place under its tenant's limit. */
    @Nullable
    Run waitsForPlace;

    /** The indexed PENDING runs that may be claimed. */
    List<Run> claimable = List.of();

    /** The claim by which the RUNNING run was taken. */
    @Nullable
    Claim claim;

    private final Map<RunId, Run> busy = new LinkedHashMap<>();
    private final MemoryQueue queue = new MemoryQueue();

    /** A claim of a run of this key. */
    record Claim(UUID id, LeaseId lease) {}

    KeyRow(LockKey key, TenantRows tenant) {
        this.key = key;
        this.tenant = tenant;
    }

    KeyRows rows(@Nullable LeaseRow lease, long lastToken) {
        return new KeyRows(lease, lastToken, reservation, busy(), queue, resource);
    }

    RunQueue queue() {
        return queue;
    }

    /** The waiting runs, in the order of their numbers. */
    List<Run> waiting() {
        return List.copyOf(queue.all());
    }

    /** When the first of the waiting runs was submitted, or {@code null} if none waits. */
    @Nullable
    Instant oldestWaiting() {
        return queue.oldest();
    }

    /** The PENDING or RUNNING run; more than one only if rules were broken. */
    List<Run> busy() {
        return List.copyOf(busy.values());
    }

    boolean hasOpenRuns() {
        return !busy.isEmpty() || queue.size() > 0;
    }

    boolean isNeeded() {
        return hasOpenRuns() || resource != null;
    }

    void put(Run run, boolean isReady, @Nullable Instant dueAt) {
        busy.remove(run.id());
        queue.remove(run.id());
        if (run.state() == RunState.QUEUED) {
            queue.put(run, isReady, dueAt);
        } else if (!run.state().isTerminal()) {
            busy.put(run.id(), run);
        }
    }
}

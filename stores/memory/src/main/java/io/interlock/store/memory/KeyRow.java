package io.interlock.store.memory;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Reservation;
import io.interlock.spi.run.rules.RunQueue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is kept about a key beside its lease, and where the indexes of the {@link RunRows} have it. Its user holds their
 * monitor.
 */
final class KeyRow {

    final LockKey key;
    final TenantRows tenant;

    @Nullable
    Reservation reservation;

    @Nullable
    Resource resource;

    /** When the key is due, as the indexes have it. */
    @Nullable
    Instant due;

    /** The run by which the key waits for a place under its tenant's limit, as the index has it. */
    @Nullable
    Run waitsForPlace;

    /** The PENDING runs that a claim may take, as the index has them. */
    List<Run> claimable = List.of();

    /** The claim by which the RUNNING run was taken. */
    @Nullable
    Claim claim;

    private final Map<RunId, Run> busy = new LinkedHashMap<>();
    private @Nullable MemoryQueue queue;

    /**
     * What a claim has taken here.
     *
     * @param id the claim's name
     * @param lease the lease it was granted
     */
    record Claim(UUID id, LeaseId lease) {}

    KeyRow(LockKey key, TenantRows tenant) {
        this.key = key;
        this.tenant = tenant;
    }

    KeyRows rows(@Nullable LeaseRow lease, long lastToken) {
        return new KeyRows(lease, lastToken, reservation, List.copyOf(busy.values()), queue(), resource);
    }

    RunQueue queue() {
        return queue == null ? RunQueue.EMPTY : queue;
    }

    /** The runs that wait, in the order of their numbers. */
    List<Run> waiting() {
        return queue == null ? List.of() : List.copyOf(queue.all());
    }

    /** When the first of the waiting runs was submitted, or {@code null} if none waits. */
    @Nullable
    Instant oldestWaiting() {
        return queue == null ? null : queue.oldest();
    }

    /** The PENDING or RUNNING run; more than one only if rules were broken. */
    List<Run> busy() {
        return List.copyOf(busy.values());
    }

    boolean hasOpenRuns() {
        return !busy.isEmpty() || queue != null;
    }

    boolean isNeeded() {
        return hasOpenRuns() || resource != null;
    }

    /** Takes over where a run stands now. */
    void put(Run run, boolean isReady, @Nullable Instant dueAt) {
        busy.remove(run.id());
        if (run.state() == RunState.QUEUED) {
            queue = queue == null ? new MemoryQueue() : queue;
            queue.put(run, isReady, dueAt);
            return;
        }
        if (queue != null) {
            queue.remove(run.id());
            queue = queue.size() == 0 ? null : queue;
        }
        if (!run.state().isTerminal()) {
            busy.put(run.id(), run);
        }
    }
}

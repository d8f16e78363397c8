package io.interlock.engine.count;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.run.RefusalCount;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was counted in one minute. Many threads count; one at a time writes down. */
final class Minute {

    private static final String OTHER = "_other";
    private static final int MORE_FOR_TENANTS = 1000;

    private final long number;
    private final ConcurrentHashMap<Cell, Count> cells = new ConcurrentHashMap<>();

    private record Cell(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome) {

        Cell under(String tenant) {
            return new Cell(new LockKey(tenant, OTHER), policy, outcome);
        }
    }

    private static final class Count {
        private final LongAdder number = new LongAdder();
        private volatile String last = "";
        private volatile long sent;
    }

    Minute(long number) {
        this.number = number;
    }

    long number() {
        return number;
    }

    Instant beginning() {
        return Instant.ofEpochSecond(number * 60);
    }

    void count(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last) {
        Count count = find(new Cell(key, policy, outcome));
        count.last = last;
        count.number.increment();
    }

    private Count find(Cell cell) {
        Count known = found(cell, RefusalCounter.MAX_CELLS);
        if (known == null) {
            known = found(cell.under(cell.key().tenant()), RefusalCounter.MAX_CELLS + MORE_FOR_TENANTS);
        }
        return known != null ? known : cells.computeIfAbsent(cell.under("interlock"), anew -> new Count());
    }

    /** Looks before it adds: a count that is there needs no lock. */
    private @Nullable Count found(Cell cell, int most) {
        Count known = cells.get(cell);
        return known != null || cells.mappingCount() >= most ? known : cells.computeIfAbsent(cell, anew -> new Count());
    }

    long unsent() {
        return cells.values().stream()
                .mapToLong(count -> count.number.sum() - count.sent)
                .sum();
    }

    /** Counts that are not what was written down last. */
    Stream<Change> changes() {
        return cells.entrySet().stream()
                .map(entry -> new Change(
                        entry.getKey(),
                        entry.getValue(),
                        entry.getValue().number.sum()))
                .filter(Change::isNew);
    }

    /** A count as it was a moment ago. */
    final class Change {

        private final Cell cell;
        private final Count count;
        private final long value;

        private Change(Cell cell, Count count, long value) {
            this.cell = cell;
            this.count = count;
            this.value = value;
        }

        private boolean isNew() {
            return value != count.sent;
        }

        RefusalCount asCount(String node) {
            return new RefusalCount(cell.key, node, beginning(), cell.policy, cell.outcome, value, count.last);
        }

        void sent() {
            count.sent = value;
        }
    }
}

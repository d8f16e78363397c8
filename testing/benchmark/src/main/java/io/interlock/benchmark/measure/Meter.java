package io.interlock.benchmark.measure;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads what the machine and the database have done so far. Used by one thread at a time. */
public final class Meter {

    private final @Nullable DatabaseCounters database;

    private Meter(@Nullable DatabaseCounters database) {
        this.database = database;
    }

    /** Of the machine alone. */
    public static Meter ofMachine() {
        return new Meter(null);
    }

    /** Of the machine and a database. */
    public static Meter of(DatabaseCounters database) {
        return new Meter(database);
    }

    /** Writes all changed pages of the database, if there is one. */
    public void checkpoint() {
        if (database != null) {
            database.checkpoint();
        }
    }

    /** Reads everything now. */
    public Reading read() {
        return read(() -> 0);
    }

    /** Reads everything now, and how many steps were done by then. */
    public Reading read(LongSupplier steps) {
        // Looking at all processes takes longest, so what is divided by each other is read after it.
        CpuTimes cpu = CpuTimes.read();
        long self = ProcessHandle.current().pid();
        long server = database == null ? self : database.process();
        return new Reading(
                System.nanoTime(),
                cpu.busy(),
                cpu.ofTrees(List.of(self, server)),
                cpu.ofTrees(List.of(server)),
                cpu.ofCompilers(List.of(self)),
                database == null ? DatabaseCounters.Counts.NONE : database.read(),
                steps.getAsLong(),
                database != null);
    }

    /**
     * All counters at one moment.
     *
     * @param nanos when
     * @param busy CPU seconds of the machine
     * @param own CPU seconds of this process, its children and the database
     * @param server CPU seconds of the database
     * @param compilers CPU seconds of the compilers of this JVM and its children
     * @param counts counters of the database
     * @param steps how many steps were done
     * @param hasDatabase whether there is a database
     */
    public record Reading(
            long nanos,
            double busy,
            double own,
            double server,
            double compilers,
            DatabaseCounters.Counts counts,
            long steps,
            boolean hasDatabase) {

        /** What was used from then until {@code later}. */
        public Use until(Reading later) {
            return new Use(
                    (later.nanos - nanos) / 1e9,
                    Math.max(0, later.busy - busy - (later.own - own)),
                    later.server - server,
                    // A compiler thread that has ended takes its time along.
                    Math.max(0, later.compilers - compilers),
                    later.counts.walBytes() - counts.walBytes(),
                    later.counts.transactions() - counts.transactions(),
                    later.steps - steps,
                    hasDatabase);
        }
    }
}

package io.interlock.benchmark.measure;

/** What a database counts about itself. Used by one thread at a time. */
public interface DatabaseCounters {

    /** The process whose children serve the database. */
    long process();

    /** Reads the counters now. */
    Counts read();

    /** Writes all changed pages, so that no checkpoint falls into what is measured next. */
    void checkpoint();

    /**
     * Counters that only rise.
     *
     * @param walBytes the place in the write-ahead log
     * @param transactions the transaction ids that were used up
     */
    record Counts(long walBytes, long transactions) {

        /** Where there is no database. */
        public static final Counts NONE = new Counts(0, 0);
    }
}

package io.interlock.benchmark.peer;

import io.interlock.benchmark.server.PostgresAddress;
import java.util.function.Consumer;

/** One way to have work done by other processes. */
public interface RunPeer {

    /** What tables call it. */
    String title();

    /** Opens the side that submits, in an empty database, and makes its tables. */
    Submitting submitter(PostgresAddress address) throws Exception;

    /**
     * Opens the side that works.
     *
     * @param slots how many runs at once
     * @param body receives the name or the key of each run that starts; it is all that a run does
     */
    AutoCloseable worker(PostgresAddress address, int slots, Consumer<String> body) throws Exception;

    /** Submits. Safe for use by many threads. */
    interface Submitting extends AutoCloseable {

        /**
         * Submits one run, to start as soon as it can.
         *
         * @param name of the run, not used before, where the peer knows such a thing
         * @param key what it is exclusive under, where the peer knows such a thing
         */
        void submit(String name, String key) throws Exception;

        /** How many runs have not ended. */
        long open() throws Exception;

        @Override
        void close() throws Exception;
    }
}

package io.interlock.cli.backend;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The time in which the key is ours. Somebody keeps the lease alive until it is finished. Safe for use by many threads. */
public interface HeldKey {

    /** The run's name. */
    String runId();

    /** The fencing token. */
    long token();

    /** How long it may be relied upon by the local clock unless a heartbeat is confirmed; zero once it is over. */
    Duration remaining();

    /** Calls {@code listener} once, as soon as the work must stop; at once if it already must. */
    void onStop(Consumer<Stop> listener);

    /** Says which part of the work begins now. Returns at once. */
    void stage(String name);

    /** Says how far the work is. Returns at once. */
    void progress(long done, @Nullable Long total);

    /**
     * Says that the work has stopped, and how it ended.
     *
     * @return why that does not count or could not be told; empty if it is on record
     */
    Optional<Stop> finish(Result result);

    /**
     * Why the work must stop.
     *
     * @param kind because the lease is lost, or because somebody wants it
     * @param why for people
     */
    record Stop(Stop.Kind kind, String why) {

        /** Because of what. */
        public enum Kind {
            /** The lease does not count any more, or soon will not. */
            LOST,
            /** Somebody wants it to stop. */
            CANCELLED,
            /** How it ended could not be told; the lease is left to end. */
            UNTOLD
        }
    }

    /**
     * How the work ended.
     *
     * @param kind in which way
     * @param exitCode of the command
     * @param code for programs, if it did not succeed
     * @param message for people
     */
    record Result(Result.Kind kind, int exitCode, String code, String message) {

        /** In which way. */
        public enum Kind {
            /** As it should. */
            SUCCEEDED,
            /** It did not do what it should. */
            FAILED,
            /** Somebody stopped it. */
            ABORTED,
            /** It took too long. */
            TIMED_OUT
        }
    }
}

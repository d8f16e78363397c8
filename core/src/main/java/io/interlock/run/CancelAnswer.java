package io.interlock.run;

/** What a store says to somebody who wants a run not to go on. */
public sealed interface CancelAnswer {

    /**
     * It had not started, and will not.
     *
     * @param run as it ended
     */
    record Cancelled(Run run) implements CancelAnswer {}

    /**
     * Somebody works on it, and hears of the wish with its next beat.
     *
     * @param run as it stands
     */
    record StopRequested(Run run) implements CancelAnswer {}

    /**
     * It had ended before.
     *
     * @param run as it ended
     */
    record Over(Run run) implements CancelAnswer {}

    /** There is no such run. */
    record Unknown() implements CancelAnswer {}
}

package io.interlock.run;

import io.interlock.Refusal;

/** The answer of a store to a redrive. */
public sealed interface RedriveAnswer {

    /**
     * A new run does the work.
     *
     * @param letter the dead letter, settled
     * @param run the new run
     */
    record Redriven(DeadLetter letter, Run run) implements RedriveAnswer {}

    /**
     * The new run was refused, and nothing was changed.
     *
     * @param letter the dead letter, still open
     * @param refusal why
     */
    record Refused(DeadLetter letter, Refusal refusal) implements RedriveAnswer {}

    /**
     * The dead letter was already settled.
     *
     * @param letter with its disposition
     */
    record Settled(DeadLetter letter) implements RedriveAnswer {}

    /**
     * Its caller executed it, so no worker can.
     *
     * @param run as it is
     */
    record CallersWork(Run run) implements RedriveAnswer {}

    /**
     * The run is not a dead letter.
     *
     * @param run as it is
     */
    record NotDead(Run run) implements RedriveAnswer {}

    /** There is no such run. */
    record Unknown() implements RedriveAnswer {}
}

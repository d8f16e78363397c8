package io.interlock.run;

import io.interlock.Refusal;

/** What a store says to whoever wants the work of a dead run done anew. */
public sealed interface RedriveAnswer {

    /**
     * A new run does the work.
     *
     * @param letter the dead letter, settled
     * @param run the new run
     */
    record Redriven(DeadLetter letter, Run run) implements RedriveAnswer {}

    /**
     * The new run was not let in, and nothing was changed.
     *
     * @param letter the dead letter, still open
     * @param refusal why
     */
    record Refused(DeadLetter letter, Refusal refusal) implements RedriveAnswer {}

    /**
     * Somebody else has done something about it before.
     *
     * @param letter with what that was
     */
    record Settled(DeadLetter letter) implements RedriveAnswer {}

    /**
     * Its work was its caller's, and no worker can do it.
     *
     * @param run as it is
     */
    record CallersWork(Run run) implements RedriveAnswer {}

    /**
     * It is no dead letter.
     *
     * @param run as it is
     */
    record NotDead(Run run) implements RedriveAnswer {}

    /** There is no such run. */
    record Unknown() implements RedriveAnswer {}
}

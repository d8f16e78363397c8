package io.interlock.run;

import io.interlock.Refusal;

/** The answer of a store to a redrive. */
public sealed interface RedriveAnswer {

    /** A new run does the work. */
    record Redriven(DeadLetter letter, Run run) implements RedriveAnswer {}

    /** The new run was refused, and nothing was changed. */
    record Refused(DeadLetter letter, Refusal refusal) implements RedriveAnswer {}

    /** The dead letter was already settled. */
    record Settled(DeadLetter letter) implements RedriveAnswer {}

    /** Its caller executed it, so no worker can. */
    record CallersWork(Run run) implements RedriveAnswer {}

    /** The run is not a dead letter. */
    record NotDead(Run run) implements RedriveAnswer {}

    /** There is no such run. */
    record Unknown() implements RedriveAnswer {}
}

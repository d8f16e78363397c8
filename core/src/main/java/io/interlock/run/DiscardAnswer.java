package io.interlock.run;

/** The answer of a store to a discard. */
public sealed interface DiscardAnswer {

    /** The dead letter is settled, by this request or an earlier one. */
    record Settled(DeadLetter letter) implements DiscardAnswer {}

    /** The run is not a dead letter. */
    record NotDead(Run run) implements DiscardAnswer {}

    /** There is no such run. */
    record Unknown() implements DiscardAnswer {}
}

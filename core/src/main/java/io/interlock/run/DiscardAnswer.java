package io.interlock.run;

/** The answer of a store to a discard. */
public sealed interface DiscardAnswer {

    /**
     * The dead letter is settled, by this request or an earlier one.
     *
     * @param letter with its disposition
     */
    record Settled(DeadLetter letter) implements DiscardAnswer {}

    /**
     * The run is not a dead letter.
     *
     * @param run as it is
     */
    record NotDead(Run run) implements DiscardAnswer {}

    /** There is no such run. */
    record Unknown() implements DiscardAnswer {}
}

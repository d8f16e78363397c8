package io.interlock.run;

/** What a store says to whoever wants nobody to do the work of a dead run. */
public sealed interface DiscardAnswer {

    /**
     * It is settled, now or by somebody before.
     *
     * @param letter with what was done about it, and by whom
     */
    record Settled(DeadLetter letter) implements DiscardAnswer {}

    /**
     * It is no dead letter.
     *
     * @param run as it is
     */
    record NotDead(Run run) implements DiscardAnswer {}

    /** There is no such run. */
    record Unknown() implements DiscardAnswer {}
}

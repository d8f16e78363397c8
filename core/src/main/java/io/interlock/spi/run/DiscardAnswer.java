package io.interlock.spi.run;

import io.interlock.run.DeadLetter;
import io.interlock.run.Run;

/** What a store says to a {@link DiscardRequest}. */
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

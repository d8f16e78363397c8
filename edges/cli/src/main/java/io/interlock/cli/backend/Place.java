package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;

/** A place in line for a key. It counts only while somebody {@linkplain #take takes} it. Safe for use by many threads. */
public interface Place {

    /**
     * Waits for the turn.
     *
     * @throws InterruptedException if the thread was interrupted; the place is still there, and to be left
     */
    Outcome take() throws InterruptedException;

    /** What it waits for now. */
    View look();

    /** Leaves the line. */
    void leave();

    /**
     * What somebody who waits wants to know.
     *
     * @param lock what is known of the key
     * @param position our place, from 1, or 0 if it is not known
     */
    record View(Facts lock, int position) {}

    /** What came of waiting. */
    sealed interface Outcome {

        /**
         * The key is ours.
         *
         * @param held for how long, and what comes of it
         */
        record Taken(HeldKey held) implements Outcome {}

        /**
         * There is nothing to wait for any more.
         *
         * @param code why, for programs: {@code WAIT_EXPIRED}, {@code CANCELLED}, …
         * @param why for people
         */
        record Over(String code, String why) implements Outcome {}
    }
}

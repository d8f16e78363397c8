package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;

/** What came of asking for a key. */
public sealed interface Entry {

    /**
     * The key is ours.
     *
     * @param held for how long, and what comes of it
     */
    record Granted(HeldKey held) implements Entry {}

    /**
     * Somebody else has it, and we wait.
     *
     * @param place our place in line
     */
    record InLine(Place place) implements Entry {}

    /**
     * We do not get it.
     *
     * @param lock what is known of the key
     * @param code why, for programs: {@code lock-held}, {@code key-paused}, …
     * @param explanation why, in one sentence
     */
    record Busy(Facts lock, String code, String explanation) implements Entry {}
}

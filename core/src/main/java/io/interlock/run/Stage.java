package io.interlock.run;

import java.time.Instant;

/**
 * A part of the work, as the work calls it.
 *
 * @param name its name
 * @param since when the work came to it, by the store's clock
 */
public record Stage(String name, Instant since) {

    /** Checks the name. */
    public Stage {
        RunTexts.require("stage", name, "name the part of the work in one line");
    }
}

package io.interlock.run;

import java.time.Instant;

/**
 * A part of the work, named by the handler.
 *
 * @param name its name
 * @param since when it began, by the store's clock
 */
public record Stage(String name, Instant since) {

    public Stage {
        RunTexts.require("stage", name, "name the part of the work in one line");
    }
}

package io.interlock.run;

import java.time.Instant;

/** A part of the work, named by the handler. */
public record Stage(String name, Instant since) {

    public Stage {
        RunTexts.require("stage", name, "name the part of the work in one line");
    }
}

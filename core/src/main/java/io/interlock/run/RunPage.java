package io.interlock.run;

import java.util.List;
import java.util.OptionalLong;

/** A page of runs, in the requested order. */
public record RunPage(List<Run> runs, boolean more) {

    public RunPage {
        runs = List.copyOf(runs);
    }

    /** A page from a result with one more run than requested, if there are more. */
    public static RunPage of(List<Run> found, int limit) {
        return found.size() <= limit ? new RunPage(found, false) : new RunPage(found.subList(0, limit), true);
    }

    /** The number after which the next page begins, if there are more. */
    public OptionalLong cursor() {
        return more ? OptionalLong.of(runs.get(runs.size() - 1).number()) : OptionalLong.empty();
    }
}

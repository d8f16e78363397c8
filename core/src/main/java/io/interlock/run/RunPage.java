package io.interlock.run;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of runs, in the order asked for.
 *
 * @param runs those of this page
 * @param more whether there are more
 */
public record RunPage(List<Run> runs, boolean more) {

    /** Copies the list. */
    public RunPage {
        runs = List.copyOf(runs);
    }

    /** A page made of one run more than was asked for, if there are more. */
    public static RunPage of(List<Run> found, int limit) {
        return found.size() <= limit ? new RunPage(found, false) : new RunPage(found.subList(0, limit), true);
    }

    /** The number to page on after, if there are more. */
    public OptionalLong cursor() {
        return more ? OptionalLong.of(runs.get(runs.size() - 1).number()) : OptionalLong.empty();
    }
}

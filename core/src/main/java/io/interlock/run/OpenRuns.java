package io.interlock.run;

import java.nio.charset.StandardCharsets;

/**
 * Runs that have not ended.
 *
 * @param count how many there are
 * @param payload how many bytes their parameters have together
 */
public record OpenRuns(long count, long payload) {

    /** As many bytes as {@code spec} has parameters. */
    public static int payload(RunSpec spec) {
        return spec.parameters().getBytes(StandardCharsets.UTF_8).length;
    }
}

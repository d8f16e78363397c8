package io.interlock.run;

import java.nio.charset.StandardCharsets;

/**
 * Runs that have not ended.
 *
 * @param payload the total size of their parameters, in bytes
 */
public record OpenRuns(long count, long payload) {

    /** The size of the parameters of {@code spec}, in bytes. */
    public static int payload(RunSpec spec) {
        return spec.parameters().getBytes(StandardCharsets.UTF_8).length;
    }
}

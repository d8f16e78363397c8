package io.interlock.run;

import io.interlock.InvalidSettingException;

/**
 * How many may wait, and how many may be under way.
 *
 * @param queueCap how many may wait for one key, from 1
 * @param tenantMaxRunning how many runs of the tenant may be PENDING or RUNNING, from 1
 */
public record LineLimits(int queueCap, int tenantMaxRunning) {

    /** As many as there are. */
    public static final LineLimits NONE = new LineLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Checks both. */
    public LineLimits {
        require("queue-cap", queueCap);
        require("max-running", tenantMaxRunning);
    }

    private static void require(String setting, int value) {
        if (value < 1) {
            throw new InvalidSettingException(setting, value, "must be at least 1", "leave it out for no limit");
        }
    }
}

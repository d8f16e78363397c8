package io.interlock.run;

import io.interlock.InvalidSettingException;

/**
 * Limits of waiting and running runs.
 *
 * @param queueCap how many runs may wait for one key, from 1
 * @param tenantMaxRunning how many runs of the tenant may be PENDING or RUNNING, from 1
 */
public record LineLimits(int queueCap, int tenantMaxRunning) {

    /** No limits. */
    public static final LineLimits NONE = new LineLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    public LineLimits {
        require("queue-cap", queueCap);
        require("max-running", tenantMaxRunning);
    }

    private static void require(String setting, int value) {
        if (value < 1) {
            throw new InvalidSettingException(setting, value, "must be at least 1", "remove it for no limit");
        }
    }
}

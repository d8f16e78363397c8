package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.locks.LeaseOptions;
import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.time.Duration;

/**
 * What locks are set up with.
 *
 * @param options used where none are given
 * @param sweepEvery how often leases that ended by themselves are cleared
 * @param drainTime how long closing waits for leases to be closed
 * @param closesStore whether the store is closed with the locks
 */
public record LocksSettings(
        LeaseStore store,
        Environment environment,
        LeaseOptions options,
        Holder holder,
        Duration pollEvery,
        Duration sweepEvery,
        Duration drainTime,
        boolean closesStore) {

    public LocksSettings {
        requirePositive("pollEvery", pollEvery, "1s suits most stores");
        requirePositive("sweepEvery", sweepEvery, "1m suits most stores");
        if (drainTime.isNegative()) {
            throw new InvalidSettingException(
                    "drainTime", DurationText.format(drainTime), "is below 0s", "choose 0s not to wait at all");
        }
        options.terms().within(store.capabilities().maxLease());
    }

    private static void requirePositive(String setting, Duration value, String nextStep) {
        if (value.isNegative() || value.isZero()) {
            throw new InvalidSettingException(setting, DurationText.format(value), "must be above 0s", nextStep);
        }
    }
}

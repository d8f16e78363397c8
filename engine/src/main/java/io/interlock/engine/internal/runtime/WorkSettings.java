package io.interlock.engine.internal.runtime;

import io.interlock.DurationText;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineListener;
import io.interlock.engine.Jobs;
import io.interlock.engine.WorkSource;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What workers are set up with.
 *
 * @param jobs what can be submitted and done here
 * @param slots how many runs are done here at once
 * @param tenant whose runs are done here, or {@code null} for those of every tenant
 * @param pollEvery how often workers and waiters look by themselves
 * @param drainTime how long closing waits for work to end by itself
 * @param threads where everything runs; asked for once the settings are known to be good
 */
public record WorkSettings(
        WorkSource source,
        Jobs jobs,
        Environment environment,
        Holder holder,
        int slots,
        @Nullable String tenant,
        Duration pollEvery,
        Duration drainTime,
        List<EngineListener> listeners,
        Supplier<EngineThreads> threads) {

    /** How many runs are done at once unless said otherwise. */
    public static final int DEFAULT_SLOTS = 16;

    private static final int MOST_SLOTS = 10_000;

    public WorkSettings {
        listeners = List.copyOf(listeners);
        if (slots < 0 || slots > MOST_SLOTS) {
            throw new InvalidSettingException(
                    "slots", slots, "must be from 0 to " + MOST_SLOTS, "0 means that no work is done here");
        }
        requirePositive("poll-every", pollEvery, "1s suits most stores");
        if (drainTime.isNegative()) {
            throw new InvalidSettingException(
                    "drain-time", DurationText.format(drainTime), "is below 0s", "choose 0s not to wait at all");
        }
    }

    static void requirePositive(String setting, Duration value, String nextStep) {
        if (value.isNegative() || value.isZero()) {
            throw new InvalidSettingException(setting, DurationText.format(value), "must be above 0s", nextStep);
        }
    }
}

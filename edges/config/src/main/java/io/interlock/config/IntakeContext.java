package io.interlock.config;

import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * What intakes live in.
 *
 * @param engine who starts what they take
 * @param environment time, threads and chance
 * @param gauges where their numbers are shown
 */
public record IntakeContext(RunEngine engine, Environment environment, Gauges gauges) {

    /** Where numbers are shown. */
    @FunctionalInterface
    public interface Gauges {

        /** Shown nowhere. */
        Gauges NONE = (name, labels, value) -> {};

        /** Shows {@code value}, asked for whenever somebody looks, as {@code name}. */
        void show(String name, Map<String, String> labels, DoubleSupplier value);
    }
}

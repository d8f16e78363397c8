package io.interlock.config;

import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * What an intake needs from its process.
 *
 * @param environment time, threads and random numbers
 */
public record IntakeContext(RunEngine engine, Environment environment, Gauges gauges) {

    /** Publishes numbers. */
    @FunctionalInterface
    public interface Gauges {

        /** Publishes nothing. */
        Gauges NONE = (name, labels, value) -> {};

        /** Publishes {@code value}, evaluated at each reading, as {@code name}. */
        void show(String name, Map<String, String> labels, DoubleSupplier value);
    }
}

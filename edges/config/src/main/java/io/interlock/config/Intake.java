package io.interlock.config;

import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Receives work from another system and starts runs for it. {@link java.util.ServiceLoader} finds intakes on the class
 * path, so that only installations that use an intake need its libraries.
 */
public interface Intake {

    /** The configuration property of this intake. */
    String property();

    /**
     * Starts receiving. If the other system is unavailable, the intake logs that and keeps trying.
     *
     * @return closes the intake: it receives nothing more, and returns work it has not started
     */
    AutoCloseable start(InterlockSettings settings, Context house);

    /**
     * What an intake needs from its process.
     *
     * @param environment time, threads and random numbers
     */
    record Context(RunEngine engine, Environment environment, Gauges gauges) {

        /** Publishes numbers. */
        @FunctionalInterface
        public interface Gauges {

            /** Publishes nothing. */
            Gauges NONE = (name, labels, value) -> {};

            /** Publishes {@code value}, evaluated at each reading, as {@code name}. */
            void show(String name, Map<String, String> labels, DoubleSupplier value);
        }
    }
}

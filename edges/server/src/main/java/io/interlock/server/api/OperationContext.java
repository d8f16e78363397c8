package io.interlock.server.api;

import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;

/**
 * What operations work with.
 *
 * @param engine who decides
 * @param blocking where calls of the engine run that block
 * @param lists where calls run that look through much: few at a time, so that they leave processors and connections to all others
 * @param waits requests that wait for something
 * @param environment clocks and chance
 */
public record OperationContext(
        RunEngine engine, BlockingCalls blocking, BlockingCalls lists, OpenWaits waits, Environment environment) {

    private static final int LISTS_AT_ONCE = 2;

    /** One for {@code engine}. */
    public static OperationContext of(RunEngine engine, Environment environment) {
        return new OperationContext(
                engine,
                BlockingCalls.of(environment),
                BlockingCalls.apart(environment, LISTS_AT_ONCE),
                new OpenWaits(),
                environment);
    }
}

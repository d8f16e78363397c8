package io.interlock.server.api;

import io.interlock.engine.RunEngine;
import io.interlock.time.Environment;

/**
 * What operations work with.
 *
 * @param engine who decides
 * @param blocking where calls of the engine run that block
 * @param waits requests that wait for something
 * @param environment clocks and chance
 */
public record OperationContext(RunEngine engine, BlockingCalls blocking, OpenWaits waits, Environment environment) {

    /** One for {@code engine}. */
    public static OperationContext of(RunEngine engine, Environment environment) {
        return new OperationContext(engine, BlockingCalls.of(environment), new OpenWaits(), environment);
    }
}

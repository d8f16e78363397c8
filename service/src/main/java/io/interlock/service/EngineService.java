package io.interlock.service;

import io.interlock.engine.RunEngine;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * The operations of the REST API that the server and the command line share: each takes a {@link Request} and answers with {@link Facts}, or
 * with a {@link Problem}. They know neither HTTP nor a terminal, and block. Safe for use by many threads.
 */
public record EngineService(LockService locks, RunService runs, AdminService admin) {

    /**
     * Those on {@code engine}.
     *
     * @param shown what stands in answers for JSON that clients wrote, such as parameters and results
     * @param text the JSON that stands in a request
     */
    public static EngineService of(
            RunEngine engine, InstantSource clock, Function<String, Object> shown, Function<Object, String> text) {
        return new EngineService(
                new LockService(engine, clock),
                new RunService(engine, clock, shown, text),
                new AdminService(engine, clock));
    }
}

package io.interlock.service;

import io.interlock.engine.RunEngine;
import java.time.InstantSource;

/**
 * The operations of the REST API that the server and the command line share: each takes a {@link Request} and answers with {@link Facts}, or
 * with an {@link OperationException}. They know neither HTTP nor a terminal, and block. Safe for use by many threads.
 */
public record EngineService(LockService locks, RunService runs, AdminService admin) {

    /** Those on {@code engine}. */
    public static EngineService of(RunEngine engine, InstantSource clock, ForeignJson json) {
        return new EngineService(
                new LockService(engine, clock), new RunService(engine, clock, json), new AdminService(engine, clock));
    }
}

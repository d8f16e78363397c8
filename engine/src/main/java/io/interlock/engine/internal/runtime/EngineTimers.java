package io.interlock.engine.internal.runtime;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;

/**
 * The clocks and timers of one engine. Each kind of task has a timer of its own, so that none of them waits for another.
 *
 * @param heartbeats sends heartbeats; its tasks may block
 * @param deadlines watches deadlines; its tasks never block
 * @param claims takes work; its tasks may block
 * @param chores for what may come late; its tasks never block
 */
public record EngineTimers(
        Environment environment, LocalTime time, Timers heartbeats, Timers deadlines, Timers claims, Timers chores) {

    public static EngineTimers of(Environment environment) {
        return new EngineTimers(
                environment,
                new LocalTime(environment),
                environment.timers("interlock-heartbeats"),
                environment.timers("interlock-deadlines"),
                environment.timers("interlock-claims"),
                environment.timers("interlock-chores"));
    }
}

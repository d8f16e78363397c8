package io.interlock.engine;

/**
 * Hears of what happened. It is called after the fact, on a thread that does nothing else; what it throws is logged and
 * harms nothing, and one that is too slow misses events rather than delay anything.
 */
@FunctionalInterface
public interface EngineListener {

    void on(EngineEvent event);
}

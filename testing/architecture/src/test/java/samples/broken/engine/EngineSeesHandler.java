package samples.broken.engine;

import org.jspecify.annotations.Nullable;
import samples.broken.engine.handler.HandlerSeesEngine;

/** Broken: the engine knows a handler. */
public record EngineSeesHandler(@Nullable HandlerSeesEngine handler) {}

package samples.broken.engine.handler;

import org.jspecify.annotations.Nullable;
import samples.broken.engine.EngineSeesHandler;

/** Needs {@link EngineSeesHandler}, as it may. */
public record HandlerSeesEngine(@Nullable EngineSeesHandler engine) {}

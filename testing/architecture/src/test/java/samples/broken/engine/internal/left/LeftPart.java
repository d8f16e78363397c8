package samples.broken.engine.internal.left;

import org.jspecify.annotations.Nullable;
import samples.broken.engine.internal.right.RightPart;

/** Needs {@link RightPart}, which needs it. */
public record LeftPart(@Nullable RightPart other) {}

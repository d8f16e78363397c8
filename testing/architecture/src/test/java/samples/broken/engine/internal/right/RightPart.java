package samples.broken.engine.internal.right;

import org.jspecify.annotations.Nullable;
import samples.broken.engine.internal.left.LeftPart;

/** Needs {@link LeftPart}, which needs it. */
public record RightPart(@Nullable LeftPart other) {}

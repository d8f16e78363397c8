package samples.broken.locks;

import java.util.List;
import samples.broken.locks.internal.Keeper;

/** Broken: users would depend on internals. */
public final class ShowsInternal {
    /** Internal types in a public signature, as a type argument at that. */
    public List<Keeper> keepers() {
        return List.of();
    }
}

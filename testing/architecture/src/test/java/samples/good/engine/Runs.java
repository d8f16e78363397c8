package samples.good.engine;

import samples.good.locks.KeyEntry;

/** Stands on the locks. */
public final class Runs {
    private final KeyEntry door;

    /** Runs behind a compatible API. */
    public Runs(KeyEntry door) {
        this.door = door;
    }

    /** Starts. */
    public String start(String key) {
        return door.open(key);
    }
}

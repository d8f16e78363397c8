package samples.good.engine;

import samples.good.locks.Door;

/** Stands on the locks. */
public final class Runs {
    private final Door door;

    /** Runs behind a compatible API. */
    public Runs(Door door) {
        this.door = door;
    }

    /** Starts. */
    public String start(String key) {
        return door.open(key);
    }
}

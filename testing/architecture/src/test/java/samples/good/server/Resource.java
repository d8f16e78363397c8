package samples.good.server;

import samples.good.engine.Runs;

/** Reaches stores through the engine. */
public final class Resource {
    private final Runs runs;

    /** A resource of the engine. */
    public Resource(Runs runs) {
        this.runs = runs;
    }

    /** Translates. */
    public String post(String key) {
        return runs.start(key);
    }
}

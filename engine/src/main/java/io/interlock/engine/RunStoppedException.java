package io.interlock.engine;

import io.interlock.run.StopRequest;

/** The work stopped because it had to. Not a failure: it is never tried again because of this. */
public final class RunStoppedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient StopRequest stop;

    /** Stopped for this reason. */
    public RunStoppedException(StopRequest stop) {
        super(stop.reason());
        this.stop = stop;
    }

    /** Why it stopped. */
    public StopRequest stop() {
        return stop;
    }
}

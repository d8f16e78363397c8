package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.run.StopRequest;

/** The work stopped because it had to. Not a failure: it is never tried again because of this. */
public final class RunStoppedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient StopRequest stop;

    public RunStoppedException(StopRequest stop) {
        super(stop.reason());
        this.stop = stop;
    }

    public StopRequest stop() {
        return stop;
    }
}

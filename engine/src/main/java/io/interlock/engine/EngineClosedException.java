package io.interlock.engine;

import io.interlock.InterlockException;

/** The engine is closed, or closing: it takes nothing in any more. Nothing was done; another one may be asked. */
public final class EngineClosedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    /** Nobody is let in. */
    public EngineClosedException() {
        super("this engine is closed; it takes nothing in any more");
    }

    @Override
    public String code() {
        return "shutting-down";
    }
}

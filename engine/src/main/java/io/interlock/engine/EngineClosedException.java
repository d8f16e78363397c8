package io.interlock.engine;

/** The engine is closed, or closing: it takes nothing in any more. Nothing was done; another one may be asked. */
public final class EngineClosedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** Nobody is let in. */
    public EngineClosedException() {
        super("this engine is closed; it takes nothing in any more");
    }
}

package io.interlock.engine;

import io.interlock.InterlockException;

/**
 * The engine is closed, or closing: it takes nothing in any more. Another one may be asked. For a submission that ends so, no worker does
 * anything. A caller that waited for a lease, for work or for its turn may have been granted it at that very moment: asking with the same
 * ids finds it again, and else it ends with its lease.
 */
public final class EngineClosedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    public EngineClosedException() {
        super("this engine is closed; it takes nothing in any more");
    }

    @Override
    public String code() {
        return "shutting-down";
    }
}

package io.interlock;

/** A resource rejected a token because it has seen a greater one. The holder of the token must stop. */
public final class StaleTokenException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient FencingToken presented;
    private final transient FencingToken met;

    /** {@code presented} arrived after the resource had seen {@code met}. */
    public StaleTokenException(LockKey key, FencingToken presented, FencingToken met) {
        super("token " + presented + " for " + key + " is stale: the resource has met token " + met
                + "; stop this work, another holder has taken over");
        this.key = key;
        this.presented = presented;
        this.met = met;
    }

    /** What was exclusive. */
    public LockKey key() {
        return key;
    }

    /** The token that was refused. */
    public FencingToken presented() {
        return presented;
    }

    /** The greater token that the resource has seen. */
    public FencingToken met() {
        return met;
    }

    @Override
    public String code() {
        return "token-stale";
    }
}

package io.interlock;

/** The lease of this work is lost. The work must stop, and resources must reject its further writes by its token. */
public final class LeaseLostException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient FencingToken token;
    private final LossCause lossCause;

    public LeaseLostException(LockKey key, FencingToken token, LossCause lossCause) {
        super("lease of " + key + " with token " + token + " is lost: " + lossCause.explanation());
        this.key = key;
        this.token = token;
        this.lossCause = lossCause;
    }

    /** What was exclusive. */
    public LockKey key() {
        return key;
    }

    /** The invalid token. */
    public FencingToken token() {
        return token;
    }

    /** Why the lease is lost. */
    public LossCause lossCause() {
        return lossCause;
    }

    @Override
    public String code() {
        return "lease-lost";
    }
}

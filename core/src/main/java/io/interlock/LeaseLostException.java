package io.interlock;

/** The lease this work ran under is over. The work must stop; whatever it still writes must be refused by its token. */
public final class LeaseLostException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient LockKey key;
    private final transient FencingToken token;
    private final LossCause lossCause;

    /** The lease of {@code key} with {@code token} is over. */
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

    /** The token that no longer counts. */
    public FencingToken token() {
        return token;
    }

    /** Why it is over. */
    public LossCause lossCause() {
        return lossCause;
    }

    @Override
    public String code() {
        return "lease-lost";
    }
}

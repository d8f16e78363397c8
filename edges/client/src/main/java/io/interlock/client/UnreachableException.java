package io.interlock.client;

import io.interlock.InterlockException;

/** There was no answer of a server. The request may have taken effect; with the same ids it may be repeated. */
public final class UnreachableException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final Cause cause;
    private final String nextStep;

    /** Why there was none. */
    public enum Cause {
        /** The address, or the file of trusted authorities, cannot be used. */
        SETTINGS("configuration"),
        /** It redirects, and redirects are not followed. */
        REDIRECTS("server-redirects"),
        /** Its certificate is not trusted. */
        UNTRUSTED("server-untrusted"),
        /** It did not answer, or another program did. */
        SILENT("server-unreachable");

        private final String code;

        Cause(String code) {
            this.code = code;
        }
    }

    UnreachableException(Cause cause, String message, String nextStep) {
        super(message);
        this.cause = cause;
        this.nextStep = nextStep;
    }

    public Cause reason() {
        return cause;
    }

    public String nextStep() {
        return nextStep;
    }

    @Override
    public String code() {
        return cause.code;
    }
}

package io.interlock.spi.run.rules;

/**
 * Who changes something, and why; for the audit log.
 *
 * @param actor who
 * @param reason why
 */
record Why(String actor, String reason) {

    private static final String STORE = "interlock";

    /** Nobody in particular: the rules say so. */
    static Why rule(String reason) {
        return new Why(STORE, reason);
    }
}

package io.interlock;

/**
 * The store is reachable but unsafe to use: a setting that loses acknowledged writes, a replica, a foreign schema or
 * one newer than this program. Nothing was changed in it.
 */
public final class UnsafeStoreException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String store;

    /**
     * A store that must not be used.
     *
     * @param store which store, without secrets
     * @param problem what is unsafe, continuing the sentence "store …"
     * @param nextStep the next step for the user
     */
    public UnsafeStoreException(String store, String problem, String nextStep) {
        super("store " + store + " " + problem + "; " + nextStep);
        this.store = store;
    }

    /** Which store, without secrets. */
    public String store() {
        return store;
    }
}

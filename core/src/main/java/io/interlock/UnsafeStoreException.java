package io.interlock;

/**
 * The store can be reached, and must not be used as it is: a setting that loses acknowledged writes, a replica, a schema
 * that is not ours or newer than this program. Nothing was changed in it.
 */
public final class UnsafeStoreException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String store;

    /**
     * A store that must not be used.
     *
     * @param store which store, without secrets
     * @param problem what is unsafe, continuing the sentence "store …"
     * @param nextStep what to do about it
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

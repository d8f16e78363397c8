package io.interlock;

/**
 * The store did not answer, or its answer is unclear. The caller must assume that nothing was granted.
 *
 * <p>An acquire or release that failed with it may be repeated with the same lease id; it takes effect at most once.
 */
public final class StoreUnavailableException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String store;

    /**
     * A store that did not answer.
     *
     * @param store which store, without secrets
     * @param problem what happened, continuing the sentence "store …"
     */
    public StoreUnavailableException(String store, String problem, Throwable cause) {
        super("store " + store + " " + problem, cause);
        this.store = store;
    }

    /** A store that did not answer, without a driver's error. */
    public StoreUnavailableException(String store, String problem) {
        super("store " + store + " " + problem);
        this.store = store;
    }

    /** Which store, without secrets. */
    public String store() {
        return store;
    }

    @Override
    public String code() {
        return "store-unavailable";
    }
}

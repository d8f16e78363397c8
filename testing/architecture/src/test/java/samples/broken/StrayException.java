package samples.broken;

/** Broken: no child of InterlockException. */
public final class StrayException extends RuntimeException {
    private static final long serialVersionUID = 1L;
}

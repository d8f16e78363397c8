package samples.broken;

/** The one parent, which one exception here does not have. */
public abstract class InterlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;
}

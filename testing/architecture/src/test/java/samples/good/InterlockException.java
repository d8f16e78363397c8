package samples.good;

/** The one parent. */
public abstract class InterlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;
}

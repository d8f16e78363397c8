package samples.good;

/** An exception of the family. */
public final class WordProblem extends InterlockException {
    private static final long serialVersionUID = 1L;
}

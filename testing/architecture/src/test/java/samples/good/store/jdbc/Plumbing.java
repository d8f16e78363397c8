package samples.good.store.jdbc;

/** Shared by the SQL stores. */
public final class Plumbing {
    /** Writes. */
    public String write(String row) {
        return row;
    }
}

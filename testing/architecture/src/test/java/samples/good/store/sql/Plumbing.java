package samples.good.store.sql;

/** Shared by the SQL stores. */
public final class Plumbing {
    /** Writes. */
    public String write(String row) {
        return row;
    }
}

package samples.good.store.sqlite;

import samples.good.spi.Contract;
import samples.good.store.sql.Plumbing;

/** Sees the contract and the plumbing. */
public final class FileStore implements Contract {
    private final Plumbing plumbing = new Plumbing();

    @Override
    public String step(String key) {
        return plumbing.write(key);
    }
}

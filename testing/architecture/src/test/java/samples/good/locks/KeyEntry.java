package samples.good.locks;

import samples.good.locks.internal.Keeper;
import samples.good.spi.Contract;

/** Uses its own internals and shows none. */
public final class KeyEntry {
    private final Keeper keeper;

    /** A compatible API to a store. */
    public KeyEntry(Contract contract) {
        keeper = new Keeper(contract);
    }

    /** Asks for a key. */
    public String open(String key) {
        return keeper.keep(key);
    }
}

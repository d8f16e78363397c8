package io.interlock.tck;

import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;

/** A store all of whose wake-ups are lost, although it says that it sends them. */
public final class SilentStore extends ForwardingStore {

    /** Silences {@code store}. */
    public SilentStore(LeaseStore store) {
        super(store);
    }

    @Override
    public ChangeFeed changes() {
        return ChangeFeed.SILENT;
    }
}

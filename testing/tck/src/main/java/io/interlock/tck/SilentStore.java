package io.interlock.tck;

import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;

/** A store that claims to send wake-ups but loses all of them. */
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

package io.interlock.tck;

import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;

/** The harness of a store that keeps runs too. {@link #advance} moves the store's clock. */
public interface RunStoreHarness extends StoreHarness {

    @Override
    RunStore open(Environment environment);
}

package io.interlock.store.memory;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;

class MemoryRunStoreTest extends RunStoreContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

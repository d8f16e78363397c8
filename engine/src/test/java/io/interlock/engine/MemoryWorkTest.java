package io.interlock.engine;

import io.interlock.tck.RunStoreHarness;

class MemoryWorkTest extends WorkContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

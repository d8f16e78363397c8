package io.interlock.engine;

import io.interlock.tck.RunStoreHarness;

class MemoryPolicyTest extends PolicyContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

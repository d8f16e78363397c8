package io.interlock.engine;

import io.interlock.store.memory.MemoryHarness;
import io.interlock.tck.RunStoreHarness;

class MemoryRemoteTest extends RemoteContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

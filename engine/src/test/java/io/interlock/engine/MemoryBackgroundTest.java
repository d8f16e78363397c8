package io.interlock.engine;

import io.interlock.store.memory.MemoryHarness;
import io.interlock.tck.RunStoreHarness;

class MemoryBackgroundTest extends BackgroundContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

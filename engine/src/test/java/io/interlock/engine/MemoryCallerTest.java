package io.interlock.engine;

import io.interlock.store.memory.MemoryHarness;
import io.interlock.tck.RunStoreHarness;

class MemoryCallerTest extends EngineCallerContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

package io.interlock.engine;

import io.interlock.tck.RunStoreHarness;

class MemoryCallerTest extends CallerContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

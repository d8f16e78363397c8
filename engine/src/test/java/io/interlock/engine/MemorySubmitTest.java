package io.interlock.engine;

import io.interlock.tck.RunStoreHarness;

class MemorySubmitTest extends SubmitContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

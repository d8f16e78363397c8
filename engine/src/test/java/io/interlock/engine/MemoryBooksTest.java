package io.interlock.engine;

import io.interlock.store.memory.MemoryHarness;
import io.interlock.tck.RunStoreHarness;

class MemoryBooksTest extends BooksContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

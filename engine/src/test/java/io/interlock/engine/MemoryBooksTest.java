package io.interlock.engine;

import io.interlock.tck.RunStoreHarness;

class MemoryBooksTest extends BooksContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }
}

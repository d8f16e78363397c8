package samples.broken.store.sqlite;

import samples.broken.store.memory.RowStore;

/** Broken: one store knows another. */
record StoreSeesStore(RowStore other) {}

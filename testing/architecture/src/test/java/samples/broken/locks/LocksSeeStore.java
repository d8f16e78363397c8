package samples.broken.locks;

import samples.broken.store.memory.RowStore;

/** Broken: the lock library knows one store by name. */
record LocksSeeStore(RowStore store) {}

package samples.broken.store.sqlite;

import samples.broken.locks.KeyEntry;

/** Broken: a store knows the lock library. */
record StoreSeesLocks(KeyEntry door) {}

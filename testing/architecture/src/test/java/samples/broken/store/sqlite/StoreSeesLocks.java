package samples.broken.store.sqlite;

import samples.broken.locks.Door;

/** Broken: a store knows the lock library. */
record StoreSeesLocks(Door door) {}

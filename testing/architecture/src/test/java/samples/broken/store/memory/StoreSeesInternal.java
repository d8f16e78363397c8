package samples.broken.store.memory;

import samples.broken.locks.internal.Keeper;

/** Broken: uses another module's internals. */
record StoreSeesInternal(Keeper keeper) {}

package samples.broken.tck;

import samples.broken.store.memory.RowStore;

/** Broken: the contract is made for one store. */
record ContractSeesStore(RowStore store) {}

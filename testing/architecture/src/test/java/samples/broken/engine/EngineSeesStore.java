package samples.broken.engine;

import samples.broken.store.memory.RowStore;

/** Broken: the engine knows one store by name. */
record EngineSeesStore(RowStore store) {}

package samples.broken.store.memory;

/** A store. */
public final class RowStore {}

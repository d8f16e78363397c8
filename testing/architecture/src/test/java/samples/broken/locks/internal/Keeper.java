package samples.broken.locks.internal;

/** Public for its own module only. */
public final class Keeper {}

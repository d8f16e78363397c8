package samples.broken.locks;

/** Something of the lock library. */
public final class KeyEntry {}

package io.interlock.locks;

/** What came of giving a lease back. */
public enum Release {
    /** It was held until now. */
    RELEASED,
    /** It had been lost before; perhaps another holder has the key by now. */
    WAS_LOST,
    /** It had been given back before. */
    WAS_RELEASED
}

package io.interlock;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of so many entries: a further one takes the place of the first. Not safe for use by many threads. */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {

    private static final long serialVersionUID = 1;

    private final int most;

    private BoundedMap(int most, boolean byUse) {
        super(16, 0.75f, byUse);
        this.most = most;
    }

    /** Keeps the entries that were used last, be it by a look. */
    public static <K, V> BoundedMap<K, V> ofLastUsed(int most) {
        return new BoundedMap<>(most, true);
    }

    /** Keeps the entries that came last. */
    public static <K, V> BoundedMap<K, V> ofNewest(int most) {
        return new BoundedMap<>(most, false);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}

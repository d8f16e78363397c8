package io.interlock.store.sql;

import io.interlock.BoundedMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** So many values, those that were used last. Safe for use by many threads. */
final class LastUsed<K, V> {

    private final Map<K, V> values;

    LastUsed(int most) {
        values = BoundedMap.ofLastUsed(most);
    }

    synchronized @Nullable V get(K key) {
        return values.get(key);
    }

    /** Keeps a value, and returns the one that it replaces. */
    synchronized @Nullable V put(K key, V value) {
        return values.put(key, value);
    }

    synchronized void remove(K key) {
        values.remove(key);
    }

    /** How many values are such. */
    synchronized int count(Predicate<V> such) {
        return (int) values.values().stream().filter(such).count();
    }
}

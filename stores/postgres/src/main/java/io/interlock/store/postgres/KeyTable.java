package io.interlock.store.postgres;

import io.interlock.LockKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The keys of a batch, each once, in the order in which rows are locked; requests name them by number. */
final class KeyTable {

    private final List<LockKey> sorted;
    private final Map<LockKey, Integer> numbers = new HashMap<>();

    KeyTable(Collection<LockKey> keys) {
        sorted = List.copyOf(new TreeSet<>(keys));
        for (LockKey key : sorted) {
            numbers.put(key, numbers.size() + 1);
        }
    }

    String[] tenants() {
        return sorted.stream().map(LockKey::tenant).toArray(String[]::new);
    }

    String[] names() {
        return sorted.stream().map(LockKey::name).toArray(String[]::new);
    }

    /** The number of a key, counted from 1 as SQL does. */
    int number(LockKey key) {
        Integer number = numbers.get(key);
        if (number == null) {
            throw new IllegalArgumentException(key + " is not in this batch");
        }
        return number;
    }
}

package io.interlock.store.memory;

import io.interlock.LockKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds and locks the slots of keys. Only keys with a lease have one; when a slot is removed, its token raises the
 * {@link #floor()}, so that the key's next token is greater.
 *
 * <p>A step locks the slots of exactly its own keys, in the order of the keys, so steps on different keys never wait
 * for each other, and there are no deadlocks.
 */
final class Slots {

    private final ConcurrentHashMap<LockKey, Slot> slots = new ConcurrentHashMap<>();
    private final AtomicLong floor = new AtomicLong();

    /** At least as great as every token whose slot is removed. */
    long floor() {
        return floor.get();
    }

    /** All slots, to be locked one by one; some may be removed meanwhile. */
    Collection<Slot> all() {
        return slots.values();
    }

    /** Executes {@code step} with the slots of all {@code keys} locked; creates missing ones. */
    <T> T with(List<LockKey> keys, Function<List<Slot>, T> step) {
        while (true) {
            List<Slot> wanted = new ArrayList<>(keys.size());
            for (LockKey key : keys) {
                wanted.add(slots.computeIfAbsent(key, Slot::new));
            }
            T result = lockFrom(0, wanted, step);
            if (result != null) {
                return result;
            }
        }
    }

    /**
     * Executes {@code step} with the slot of {@code key} locked, or returns {@code otherwise} if the key has no lease.
     */
    <T extends @Nullable Object> T at(LockKey key, Function<Slot, T> step, T otherwise) {
        Slot slot = slots.get(key);
        return slot == null ? otherwise : at(slot, step, otherwise);
    }

    /** Executes {@code step} with {@code slot} locked, or returns {@code otherwise} if it no longer has a lease. */
    <T extends @Nullable Object> T at(Slot slot, Function<Slot, T> step, T otherwise) {
        synchronized (slot) {
            return slot.isRemoved() || !slot.isTaken() ? otherwise : step.apply(slot);
        }
    }

    /** Removes a slot that the caller has locked. */
    void remove(Slot slot) {
        // First the floor: after the removal, another thread may create a new slot and draw a token for it.
        floor.accumulateAndGet(slot.token(), Math::max);
        slot.remove();
        slots.remove(slot.key(), slot);
    }

    // Monitors nest, so locking a list of them is a recursion; a request has at most 100 keys.
    private <T> @Nullable T lockFrom(int index, List<Slot> wanted, Function<List<Slot>, T> step) {
        if (index == wanted.size()) {
            T result = step.apply(wanted);
            wanted.stream().filter(slot -> !slot.isTaken()).forEach(this::remove);
            return result;
        }
        Slot slot = wanted.get(index);
        synchronized (slot) {
            return slot.isRemoved() ? null : lockFrom(index + 1, wanted, step);
        }
    }
}

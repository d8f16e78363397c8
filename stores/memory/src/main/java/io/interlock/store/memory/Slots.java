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
 * Finds and locks the slots of keys. Only keys with a lease have one; when a slot goes, its token stays behind in the
 * {@link #floor()}, so that the key's next token is greater.
 *
 * <p>A step locks the slots of exactly its own keys, in the order of the keys, so steps on different keys never wait for
 * each other and no two steps can wait for each other in a circle.
 */
final class Slots {

    private final ConcurrentHashMap<LockKey, Slot> slots = new ConcurrentHashMap<>();
    private final AtomicLong floor = new AtomicLong();

    /** No smaller than any token whose slot is gone. */
    long floor() {
        return floor.get();
    }

    /** All slots, to be locked one by one; some may be removed meanwhile. */
    Collection<Slot> all() {
        return slots.values();
    }

    /** Does {@code step} with the slots of all of {@code keys} locked; makes those that are missing. */
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

    /** Does {@code step} with the slot of {@code key} locked, or returns {@code otherwise} if the key has no lease. */
    <T extends @Nullable Object> T at(LockKey key, Function<Slot, T> step, T otherwise) {
        Slot slot = slots.get(key);
        return slot == null ? otherwise : at(slot, step, otherwise);
    }

    /** Does {@code step} with {@code slot} locked, or returns {@code otherwise} if it has no lease any more. */
    <T extends @Nullable Object> T at(Slot slot, Function<Slot, T> step, T otherwise) {
        synchronized (slot) {
            return slot.isRemoved() || !slot.isTaken() ? otherwise : step.apply(slot);
        }
    }

    /** Removes a slot its caller has locked. */
    void remove(Slot slot) {
        // First the floor: from the removal on, somebody may make a new slot and draw a token for it.
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

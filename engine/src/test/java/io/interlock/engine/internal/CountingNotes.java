package io.interlock.engine.internal;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RefusalCount;
import io.interlock.spi.run.RunNotes;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The notes of a store that can be away, or lose its answers. */
final class CountingNotes {

    final List<Integer> batches = new ArrayList<>();
    boolean away;
    boolean losesAnswers;
    private final MemoryStore store;
    private final Map<List<Object>, Long> latest = new HashMap<>();

    CountingNotes(Environment environment) {
        store = new MemoryStore(environment);
    }

    RunNotes notes() {
        return (RunNotes) Proxy.newProxyInstance(
                RunNotes.class.getClassLoader(), new Class<?>[] {RunNotes.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("countRefusals")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    count((List<?>) arguments[0]);
                    return null;
                });
    }

    private synchronized void count(List<?> sent) {
        if (away) {
            throw new StoreUnavailableException("notes", "is away");
        }
        List<RefusalCount> counts = sent.stream().map(RefusalCount.class::cast).toList();
        batches.add(counts.size());
        counts.forEach(count ->
                latest.put(List.of(count.key(), count.minute(), count.policy(), count.outcome()), count.count()));
        store.notes().countRefusals(counts);
        if (losesAnswers) {
            throw new StoreUnavailableException("notes", "lost its answer");
        }
    }

    List<RefusalCount> kept(LockKey key) {
        return store.notes().refusals(key, Instant.EPOCH);
    }

    /** Of all keys together; the store is asked by key only. */
    synchronized long total() {
        return latest.values().stream().mapToLong(Long::longValue).sum();
    }
}

package io.interlock.spi.run.rules;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which tenants had work claimed how long ago, so that tenants take turns from claim to claim: the one that had none for the
 * longest time comes first, however many runs another has waiting. It remembers a bounded number of tenants, and counts one that
 * it has forgotten as one that had none. Safe for use by many threads.
 */
public final class TenantTurns {

    private static final int MOST_TENANTS = 10_000;

    private final Map<String, Long> last = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_TENANTS;
        }
    };
    private long turns;

    /** The smaller, the longer ago work of {@code tenant} was claimed. */
    public synchronized long last(String tenant) {
        return last.getOrDefault(tenant, 0L);
    }

    /** Work of {@code tenant} was claimed. */
    public synchronized void took(String tenant) {
        turns++;
        last.put(tenant, turns);
    }
}

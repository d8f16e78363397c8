package io.interlock.spi.run.rules;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When runs of each tenant were last claimed, so that tenants take turns from claim to claim: the tenant with the
 * oldest claim comes first, regardless of the number of waiting runs. It remembers a bounded number of tenants;
 * forgotten ones count as never claimed. Thread-safe.
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

    /** A number that is smaller for older claims of {@code tenant}. */
    public synchronized long last(String tenant) {
        return last.getOrDefault(tenant, 0L);
    }

    /** Records a claim of {@code tenant}. */
    public synchronized void took(String tenant) {
        turns++;
        last.put(tenant, turns);
    }
}

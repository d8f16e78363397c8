package io.interlock.server.api;

import io.interlock.config.Limits;
import io.interlock.engine.access.TenantLimitException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts the requests of each tenant that are under way at this node, and refuses those beyond its limits. Requests that wait for something
 * are counted apart, so that they take no places of others; those that keep or give back what a client has are not counted. Safe for use by
 * many threads.
 */
public final class TenantRequests {

    private final Kind requests;
    private final Kind waits;

    public TenantRequests(Limits.Tenant limits) {
        requests = new Kind("requests under way at this node", "limits.requests", limits.requests());
        waits = new Kind("requests that wait at this node", "limits.waits", limits.waits());
    }

    /** How a contract says that an operation counts, by {@code x-counts}. */
    enum Counting {
        /** As one that waits if it asks to wait, else as any other. */
        USUAL,
        /** As one that waits. */
        WAIT,
        /** Not at all. */
        NONE
    }

    /**
     * A call begins; it counts until it is over.
     *
     * @throws TenantLimitException if its tenant has too many
     */
    void enter(Call call, Counting counting) {
        if (counting != Counting.NONE) {
            (counting == Counting.WAIT || call.asksToWait() ? waits : requests).enter(call);
        }
    }

    /** Requests of one kind, by tenant; a tenant that has none is not there. */
    private record Kind(String what, String setting, int most, ConcurrentMap<String, Integer> underWay) {

        Kind(String what, String setting, int most) {
            this(what, setting, most, new ConcurrentHashMap<>());
        }

        void enter(Call call) {
            String tenant = call.tenant();
            if (underWay.merge(tenant, 1, Integer::sum) > most) {
                leave(tenant);
                throw new TenantLimitException(tenant, what, setting, most, "ask again when some were answered");
            }
            call.whenOver(() -> leave(tenant));
        }

        private void leave(String tenant) {
            underWay.computeIfPresent(tenant, (same, count) -> count == 1 ? null : count - 1);
        }
    }
}

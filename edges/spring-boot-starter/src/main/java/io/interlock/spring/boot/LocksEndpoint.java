package io.interlock.spring.boot;

import io.interlock.DurationText;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.locks.Locks;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/locks}: who holds which key, and since when. Lease ids, which are secrets of the holders, are not shown. */
@Endpoint(id = "locks")
public final class LocksEndpoint {

    private static final int DEFAULT_LIMIT = 100;

    private final Locks locks;
    private final String tenant;

    LocksEndpoint(Locks locks, String tenant) {
        this.locks = locks;
        this.tenant = tenant;
    }

    /**
     * Leases that have not ended, in the order of their keys.
     *
     * @param prefix only keys whose name begins so
     * @param after only keys after this one: {@code next} of the page before
     * @param limit at most so many, 100 by default
     */
    @ReadOperation
    public Page locks(@Nullable String prefix, @Nullable String after, @Nullable Integer limit) {
        LeaseQuery query = LeaseQuery.ofTenant(tenant)
                .startingWith(prefix == null ? "" : prefix)
                .limit(limit == null ? DEFAULT_LIMIT : limit);
        LeasePage page = locks.list(after == null ? query : query.after(LockKey.of(tenant, after)));
        return new Page(
                page.leases().stream().map(Held::of).toList(),
                page.cursor().map(LockKey::name).orElse(null));
    }

    /**
     * A page of leases.
     *
     * @param locks the leases
     * @param next the key after which the next page begins, if there is one
     */
    public record Page(List<Held> locks, @Nullable String next) {}

    /**
     * One lease. Times are the store's.
     *
     * @param key its key, without the tenant
     * @param holder a readable name of its holder
     * @param token its fencing token
     * @param since when it was granted
     * @param heldFor how long ago that was
     * @param until when it ends unless it is renewed
     * @param evictedBy who took it away by force, if it was
     */
    public record Held(
            String key,
            String holder,
            String token,
            Instant since,
            String heldFor,
            Instant until,
            @Nullable String evictedBy) {

        static Held of(LeaseRecord lease) {
            return new Held(
                    lease.key().name(),
                    lease.holder().label(),
                    lease.token().toString(),
                    lease.grantedAt(),
                    DurationText.format(lease.heldFor()),
                    lease.expiresAt(),
                    lease.evicted().map(LeaseRecord.Eviction::actor).orElse(null));
        }
    }
}

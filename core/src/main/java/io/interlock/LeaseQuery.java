package io.interlock;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which leases to list.
 *
 * @param tenant only this tenant's, or {@code null} for all
 * @param namePrefix only keys whose name has this prefix; empty for all
 * @param after only keys after this one, or {@code null} to begin at the first
 * @param limit the maximum number, 1 to {@link #MAX_LIMIT}
 */
public record LeaseQuery(
        @Nullable String tenant,
        String namePrefix,
        @Nullable LockKey after,
        int limit) {

    /** The largest page. */
    public static final int MAX_LIMIT = 1000;

    public LeaseQuery {
        requireLimit(limit, "request the next page with the last key of this page");
    }

    public static LeaseQuery all() {
        return new LeaseQuery(null, "", null, MAX_LIMIT);
    }

    public static LeaseQuery ofTenant(String tenant) {
        return new LeaseQuery(tenant, "", null, MAX_LIMIT);
    }

    /** This query for keys whose name starts with {@code prefix}. */
    public LeaseQuery startingWith(String prefix) {
        return new LeaseQuery(tenant, prefix, after, limit);
    }

    public LeaseQuery after(LockKey key) {
        return new LeaseQuery(tenant, namePrefix, key, limit);
    }

    /** This query with pages of {@code limit}. */
    public LeaseQuery limit(int limit) {
        return new LeaseQuery(tenant, namePrefix, after, limit);
    }

    /** The tenant, if one is given. */
    public Optional<String> tenantFilter() {
        return Optional.ofNullable(tenant);
    }

    /** The key after which to begin, if one is given. */
    public Optional<LockKey> cursor() {
        return Optional.ofNullable(after);
    }

    public boolean matches(LockKey key) {
        return (tenant == null || tenant.equals(key.tenant()))
                && key.name().startsWith(namePrefix)
                && (after == null || key.compareTo(after) > 0);
    }

    /** Refuses a page that is empty or too large; {@code nextStep} says how to get the rest. */
    public static void requireLimit(int limit, String nextStep) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidSettingException("limit", limit, "must be from 1 to " + MAX_LIMIT, nextStep);
        }
    }

    /**
     * A page of leases, in the order of their keys.
     *
     * @param next the key after which the next page begins, or {@code null} if this is the last page
     */
    public record LeasePage(
            List<LeaseRecord> leases, @Nullable LockKey next) {

        public LeasePage {
            leases = List.copyOf(leases);
        }

        /** A page from a result with one more row than requested, if there are more. */
        public static LeasePage of(List<LeaseRecord> found, int limit) {
            if (found.size() <= limit) {
                return new LeasePage(found, null);
            }
            List<LeaseRecord> page = found.subList(0, limit);
            return new LeasePage(page, page.get(limit - 1).key());
        }

        /** The key after which the next page begins, if there are more. */
        public Optional<LockKey> cursor() {
            return Optional.ofNullable(next);
        }
    }
}

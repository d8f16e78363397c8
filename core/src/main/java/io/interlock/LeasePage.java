package io.interlock;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of leases, in the order of their keys.
 *
 * @param next the key after which the next page begins, or {@code null} if this is the last page
 */
public record LeasePage(List<LeaseRecord> leases, @Nullable LockKey next) {

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

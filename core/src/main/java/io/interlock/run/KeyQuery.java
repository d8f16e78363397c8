package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Which keys to look at.
 *
 * @param tenant whose
 * @param prefix only names that begin with it; empty for all
 * @param after only names greater than this one, or {@code null} to begin at the first
 * @param limit how many at the most, 1 to {@link RunQuery#MAX_LIMIT}
 */
public record KeyQuery(
        String tenant, String prefix, @Nullable String after, int limit) {

    /** Checks the limit. */
    public KeyQuery {
        if (limit < 1 || limit > RunQuery.MAX_LIMIT) {
            throw new InvalidSettingException(
                    "limit", limit, "must be from 1 to " + RunQuery.MAX_LIMIT, "page on after the last name");
        }
    }

    /** The first keys of a tenant. */
    public static KeyQuery ofTenant(String tenant) {
        return new KeyQuery(tenant, "", null, RunQuery.MAX_LIMIT);
    }

    /** Whether {@code key} is one of those asked for, if there is anything to see of it. */
    public boolean matches(LockKey key) {
        return key.tenant().equals(tenant)
                && key.name().startsWith(prefix)
                && (after == null || key.compareTo(LockKey.of(tenant, after)) > 0);
    }
}

package io.interlock.access;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A stored API key, with a hash of its secret.
 *
 * @param id its public part
 * @param hash SHA-256 of the secret, as 64 hexadecimal digits
 * @param createdAt when it was created, by the store's clock; the store ignores the given value
 * @param expiresAt when it expires, or {@code null} for never
 * @param revokedAt when it was revoked, or {@code null}
 * @param usedAt approximately when it was last used, by the store's clock, or {@code null} if never
 */
public record AccessKey(
        String id,
        String tenant,
        Role role,
        String label,
        String hash,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable Instant usedAt) {

    private static final String LOG_PREFIX = "access-key/";

    /** The audit key of requests without a known API key. No key has so short an id. */
    public static final LockKey UNKNOWN = LockKey.of(LockKey.DEFAULT_TENANT, LOG_PREFIX + "unknown");

    private static final Pattern ID = Pattern.compile("[0-9a-zA-Z]{8,40}");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    public AccessKey {
        RunTexts.require("label", label, "name the user of the key");
        if (!ID.matcher(id).matches()) {
            throw new InvalidSettingException("key id", id, "must have 8 to 40 letters and digits", "choose another");
        }
        if (!HASH.matcher(hash).matches()) {
            throw new InvalidSettingException("hash", "of key " + id, "is not a SHA-256 hash", "hash the secret first");
        }
    }

    /** A key that was not used yet. */
    public AccessKey(
            String id,
            String tenant,
            Role role,
            String label,
            String hash,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt) {
        this(id, tenant, role, label, hash, createdAt, expiresAt, revokedAt, null);
    }

    /** The same key, created at {@code now}; neither revoked nor used. */
    public AccessKey created(Instant now) {
        return new AccessKey(id, tenant, role, label, hash, now, expiresAt, null, null);
    }

    /** The same key, revoked at {@code now}. */
    public AccessKey revoked(Instant now) {
        return new AccessKey(id, tenant, role, label, hash, createdAt, expiresAt, now, usedAt);
    }

    /** The same key, used at {@code now}. */
    public AccessKey used(Instant now) {
        return new AccessKey(id, tenant, role, label, hash, createdAt, expiresAt, revokedAt, now);
    }

    /** Whether it is valid at {@code now}. */
    public boolean isActive(Instant now) {
        return revokedAt == null && (expiresAt == null || expiresAt.isAfter(now));
    }

    /** Its key in the audit log. */
    public LockKey logKey() {
        return LockKey.of(tenant, LOG_PREFIX + id);
    }

    /** Without the hash, which does not belong into logs. */
    @Override
    public String toString() {
        return "API key " + id + " of " + tenant + " (" + role + ", " + label + ")";
    }
}

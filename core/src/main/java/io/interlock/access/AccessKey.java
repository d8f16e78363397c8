package io.interlock.access;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an API key: never its secret, only a hash of it.
 *
 * @param id its public part
 * @param tenant for whom it acts
 * @param role what it may do
 * @param label for people
 * @param hash SHA-256 of the secret, as 64 hexadecimal digits
 * @param createdAt when it was made, by the store's clock; whatever the maker puts here does not count
 * @param expiresAt when it stops counting by itself, or {@code null} for never
 * @param revokedAt when somebody took it back, or {@code null} if nobody has
 * @param usedAt about when it was last used, by the store's clock, or {@code null} if it never was
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

    /** Under what the audit log tells of requests that show no key of the store. No key has so short an id. */
    public static final LockKey UNKNOWN = LockKey.of(LockKey.DEFAULT_TENANT, LOG_PREFIX + "unknown");

    private static final Pattern ID = Pattern.compile("[0-9a-zA-Z]{8,40}");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    /** Checks the texts. */
    public AccessKey {
        RunTexts.require("label", label, "say whose key it is");
        if (!ID.matcher(id).matches()) {
            throw new InvalidSettingException("key id", id, "must have 8 to 40 letters and digits", "draw another");
        }
        if (!HASH.matcher(hash).matches()) {
            throw new InvalidSettingException("hash", "of key " + id, "is no SHA-256", "hash the secret first");
        }
    }

    /** One that was not used yet. */
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

    /** The same, taken back at {@code now}. */
    public AccessKey revoked(Instant now) {
        return new AccessKey(id, tenant, role, label, hash, createdAt, expiresAt, now, usedAt);
    }

    /** The same, used at {@code now}. */
    public AccessKey used(Instant now) {
        return new AccessKey(id, tenant, role, label, hash, createdAt, expiresAt, revokedAt, now);
    }

    /** Whether it counts at {@code now}. */
    public boolean isActive(Instant now) {
        return revokedAt == null && (expiresAt == null || expiresAt.isAfter(now));
    }

    /** Under what the audit log tells of it. */
    public LockKey logKey() {
        return LockKey.of(tenant, LOG_PREFIX + id);
    }

    /** When somebody took it back, if anybody has. */
    public Optional<Instant> revoked() {
        return Optional.ofNullable(revokedAt);
    }

    /** Without the hash: nobody who reads a log needs it. */
    @Override
    public String toString() {
        return "API key " + id + " of " + tenant + " (" + role + ", " + label + ")";
    }
}

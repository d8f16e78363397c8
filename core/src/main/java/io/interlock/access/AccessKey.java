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
 */
public record AccessKey(
        String id,
        String tenant,
        Role role,
        String label,
        String hash,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {

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

    /** Whether it counts at {@code now}. */
    public boolean isActive(Instant now) {
        return revokedAt == null && (expiresAt == null || expiresAt.isAfter(now));
    }

    /** Under what the audit log tells of it. */
    public LockKey logKey() {
        return LockKey.of(tenant, "access-key/" + id);
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

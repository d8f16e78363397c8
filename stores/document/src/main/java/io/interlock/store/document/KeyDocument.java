package io.interlock.store.document;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.Eviction;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.spi.run.rules.LeaseRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is stored about a key.
 *
 * @param lease its lease, including one that has ended, or {@code null} if the key is free
 * @param lastToken its greatest token, or 0
 * @param changedAt when it was last written
 */
public record KeyDocument(@Nullable LeaseRow lease, long lastToken, Instant changedAt) {

    static final KeyDocument NEW = new KeyDocument(null, 0, Instant.EPOCH);

    Optional<LeaseRecord> record(LockKey key, Instant now) {
        return Optional.ofNullable(lease).map(row -> row.record(key, now));
    }

    KeyDocument with(@Nullable LeaseRow changed, Instant now) {
        long token = changed == null
                ? lastToken
                : Math.max(lastToken, changed.token().value());
        return new KeyDocument(changed, token, now);
    }

    /** This document, whose lease ends at {@code end} as the database judges it. */
    public KeyDocument until(Instant end) {
        return lease == null ? this : new KeyDocument(lease.until(end), lastToken, changedAt);
    }

    /** The fields of this document, without those that are absent. Times have microseconds. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("lastToken", lastToken);
        fields.put("changedAt", changedAt);
        if (lease != null) {
            fields.put("id", lease.id().toString());
            fields.put("instance", lease.holder().instance());
            fields.put("label", lease.holder().label());
            lease.holder().runId().ifPresent(run -> fields.put("run", run.toString()));
            fields.put("token", lease.token().value());
            fields.put("grantedAt", lease.grantedAt());
            fields.put("expiresAt", lease.expiresAt());
            fields.put("lockDelayMillis", lease.lockDelay().toMillis());
            fields.put("probed", lease.probed());
            Eviction eviction = lease.eviction();
            if (eviction != null) {
                fields.put("evictedBy", eviction.actor());
                fields.put("evictedFor", eviction.reason());
                fields.put("evictedAt", eviction.at());
            }
        }
        return fields;
    }

    /** The document with these {@linkplain #fields() fields}. */
    public static KeyDocument of(Fields fields) {
        LeaseRow lease = null;
        if (fields.has("id")) {
            Holder holder = new Holder(
                    fields.text("instance"),
                    fields.text("label"),
                    fields.has("run") ? RunId.parse(fields.text("run")) : null);
            Eviction eviction = fields.has("evictedBy")
                    ? new Eviction(fields.text("evictedBy"), fields.text("evictedFor"), fields.time("evictedAt"))
                    : null;
            lease = new LeaseRow(
                    LeaseId.parse(fields.text("id")),
                    holder,
                    new FencingToken(fields.number("token")),
                    fields.time("grantedAt"),
                    fields.time("expiresAt"),
                    Duration.ofMillis(fields.number("lockDelayMillis")),
                    eviction,
                    fields.text("probed").equals("true"));
        }
        return new KeyDocument(lease, fields.number("lastToken"), fields.time("changedAt"));
    }
}

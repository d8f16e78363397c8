package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AccessKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Storing API keys. */
interface AccessKeysContract extends RunContract {

    private AccessKeys keys() {
        return client().store().accessKeys();
    }

    private static AccessKey drawn(String id, String tenant, String digit) {
        Instant wrong = Instant.parse("1999-01-01T00:00:00Z");
        return new AccessKey(id, tenant, Role.WORKER, "wörker 7", digit.repeat(64), wrong, null, wrong);
    }

    private List<AuditRecord> logOf(AccessKey key) {
        return client().store().audit().records(key.logKey());
    }

    @Test
    default void aKeyIsKeptWithTheTimeOfTheStore() {
        Instant end = Instant.parse("2999-01-01T00:00:00Z");
        AccessKey wanted = new AccessKey("abcd1234", "acme", Role.ADMIN, "ops", "a".repeat(64), end, end, end);
        AccessKey kept = keys().addKey(wanted, "root");
        assertThat(kept.createdAt()).as("not the client's clock").isBefore(end);
        assertThat(kept.revokedAt()).as("a new key is not revoked").isNull();
        assertThat(kept)
                .isEqualTo(new AccessKey(
                        "abcd1234", "acme", Role.ADMIN, "ops", "a".repeat(64), kept.createdAt(), end, null));
        assertThat(keys().findKey("abcd1234")).contains(kept);
        assertThat(keys().findKey("ABCD1234")).isEmpty();
        assertThat(keys().findKey("unknown's\u0000")).isEmpty();
        assertThat(logOf(kept)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo(LockKey.of("acme", "access-key/abcd1234"));
            assertThat(record.action()).isEqualTo("key-added");
            assertThat(record.actor()).isEqualTo("root");
            assertThat(record.after()).isEqualTo("ADMIN");
            assertThat(record.toString()).as("no hash in the log").doesNotContain(kept.hash());
        });
    }

    @Test
    default void theSameKeyAgainChangesNothingAndAnotherOneIsRefused() {
        AccessKey kept = keys().addKey(drawn("abcd1234", "acme", "a"), "root");
        assertThat(keys().addKey(drawn("abcd1234", "globex", "a"), "another admin"))
                .isEqualTo(kept);
        assertThatThrownBy(() -> keys().addKey(drawn("abcd1234", "acme", "b"), "root"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("abcd1234");
        assertThat(keys().listKeys(null)).containsExactly(kept);
        assertThat(logOf(kept)).hasSize(1);
    }

    @Test
    default void keysAreListedTheOldestFirst() {
        AccessKey second = keys().addKey(drawn("zzzzzzzz", "acme", "1"), "root");
        AccessKey first = keys().addKey(drawn("aaaaaaaa", "acme", "2"), "root");
        AccessKey other = keys().addKey(drawn("mmmmmmmm", "globex", "3"), "root");
        assertThat(keys().listKeys("acme")).containsExactly(second, first);
        assertThat(keys().listKeys(null)).containsExactly(second, first, other);
        assertThat(keys().listKeys("initech")).isEmpty();
        keys().revokeKey("zzzzzzzz", "root", "lost");
        assertThat(keys().listKeys("acme"))
                .as("including keys that are no longer valid")
                .extracting(AccessKey::id)
                .containsExactly("zzzzzzzz", "aaaaaaaa");
    }

    @Test
    default void aKeyIsTakenBackOnceAndForGood() {
        AccessKey kept = keys().addKey(drawn("abcd1234", "acme", "a"), "root");
        AccessKey back = keys().revokeKey("abcd1234", "carol", "left").orElseThrow();
        assertThat(back.revokedAt()).isAfterOrEqualTo(kept.createdAt());
        assertThat(back.isActive(Objects.requireNonNull(back.revokedAt()))).isFalse();
        assertThat(keys().findKey("abcd1234")).contains(back);
        assertThat(keys().revokeKey("abcd1234", "dave", "again")).contains(back);
        assertThat(keys().addKey(drawn("abcd1234", "acme", "a"), "root"))
                .as("adding it again does not reactivate it")
                .isEqualTo(back);
        assertThat(logOf(kept)).extracting(AuditRecord::action).containsExactly("key-added", "key-revoked");
        assertThat(logOf(kept).get(1).actor() + ": " + logOf(kept).get(1).reason())
                .isEqualTo("carol: left");
        assertThat(keys().revokeKey("dcba4321", "carol", "never there")).isEmpty();
    }

    @Test
    default void theLastUseOfAKeyIsKeptByTheClockOfTheStore() {
        AccessKey kept = keys().addKey(drawn("abcd1234", "acme", "a"), "root");
        assertThat(kept.usedAt()).isNull();
        keys().keysUsed(new TreeSet<>(List.of("abcd1234")));
        Instant first = keys().findKey("abcd1234").orElseThrow().usedAt();
        assertThat(first).isNotNull().isAfterOrEqualTo(kept.createdAt());
        advance(Duration.ofMinutes(5));
        keys().keysUsed(new TreeSet<>(List.of("abcd1234")));
        assertThat(keys().listKeys("acme"))
                .singleElement()
                .satisfies(key -> assertThat(key.usedAt()).isAfter(first));
        assertThat(keys().revokeKey("abcd1234", "carol", "left").orElseThrow().usedAt())
                .as("also of a key that is no longer valid")
                .isAfter(first);
        keys().keysUsed(new TreeSet<>(List.of("dcba4321")));
        assertThat(keys().findKey("dcba4321")).isEmpty();
        assertThat(logOf(kept)).as("there is no audit record of it").hasSize(2);
    }

    @Test
    default void ofTwoWhoAddTheSameIdOneIsTold() throws Exception {
        keys();
        Queue<String> refused = new ConcurrentLinkedQueue<>();
        ParallelThreads.run(3, index -> {
            AccessKeys own = bench().anotherClient().store().accessKeys();
            try {
                own.addKey(drawn("abcd1234", "acme", String.valueOf(index)), "root");
            } catch (InvalidSettingException taken) {
                refused.add(taken.getMessage());
            }
        });
        assertThat(refused).hasSize(2);
        AccessKey kept = keys().findKey("abcd1234").orElseThrow();
        assertThat(logOf(kept)).hasSize(1);
        advance(Duration.ofDays(400));
        assertThat(keys().findKey("abcd1234").map(AccessKey::hash)).contains(kept.hash());
    }
}

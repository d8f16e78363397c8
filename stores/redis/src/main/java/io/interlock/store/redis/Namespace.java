package io.interlock.store.redis;

import io.interlock.LockKey;

/**
 * The names of everything a store keeps in Redis. All begin with the prefix in braces, the hash tag of Redis Cluster, so
 * that they share a slot and one script may touch all of them.
 *
 * @param space the prefix in braces
 */
record Namespace(String space) {

    // Below every character a tenant may contain, so that the order of members is the order of keys: with a colon,
    // tenant "a-b" would sort before tenant "a".
    private static final char SEPARATOR = ',';

    static Namespace of(String prefix) {
        return new Namespace("{" + prefix + "}");
    }

    /** Store record, index by key, index by time: the keys every script is given. */
    String[] keys() {
        return new String[] {space + ":store", space + ":index", space + ":due"};
    }

    /** Where releases are announced. */
    String wakeChannel() {
        return space + ":wake";
    }

    /** How a key is written in indexes, names of leases and wake-ups; different keys are written differently. */
    static String member(LockKey key) {
        return tenantMembers(key.tenant()) + key.name();
    }

    /** What the members of all keys of a tenant begin with. */
    static String tenantMembers(String tenant) {
        return tenant + SEPARATOR;
    }

    /** The key that {@link #member} wrote. */
    static LockKey key(String member) {
        int separator = member.indexOf(SEPARATOR);
        return new LockKey(member.substring(0, separator), member.substring(separator + 1));
    }
}

package io.interlock.store.redis;

import io.interlock.LockKey;

/**
 * The names of all data of a store in Redis. All start with the prefix in braces, the hash tag of Redis Cluster, so
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

    /** The channel of wake-ups. */
    String wakeChannel() {
        return space + ":wake";
    }

    /** The form of a key in indexes, names of leases and wake-ups; different keys have different forms. */
    static String member(LockKey key) {
        return tenantMembers(key.tenant()) + key.name();
    }

    /** The prefix of the members of all keys of a tenant. */
    static String tenantMembers(String tenant) {
        return tenant + SEPARATOR;
    }

    /** The key that {@link #member} wrote. */
    static LockKey key(String member) {
        int separator = member.indexOf(SEPARATOR);
        return new LockKey(member.substring(0, separator), member.substring(separator + 1));
    }
}

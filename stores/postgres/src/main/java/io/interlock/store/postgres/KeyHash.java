package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.Sha256;
import io.interlock.store.sql.TableNames;
import java.nio.ByteBuffer;

/** 64 bits that stand for a key or a name: the first of its SHA-256. */
final class KeyHash {

    private KeyHash() {}

    /** Over the encoding of the key, in which different keys differ. */
    static long of(LockKey key) {
        return of(key.encoded());
    }

    /** The channel of wake-ups: every store in a database has its own. */
    static String channel(TableNames names) {
        return String.format("interlock_%016x", of(names.schema() + "." + names.prefix()));
    }

    /** The channel of wake-ups for one client, or for all if {@code client} is empty. */
    static String channel(TableNames names, String client) {
        return client.isEmpty() ? channel(names) : channel(names) + "_" + client;
    }

    static long of(String text) {
        return ByteBuffer.wrap(Sha256.of(text)).getLong();
    }
}

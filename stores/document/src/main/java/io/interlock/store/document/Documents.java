package io.interlock.store.document;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.rules.LeaseRow;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A database that keeps documents. It judges when a lease ends: {@link Snapshot#now()} and the ends of leases in a
 * snapshot are its own.
 *
 * <p>All methods block for a bounded time, are thread-safe, and throw {@link StoreUnavailableException} if the database
 * gives no clear answer. A write is never repeated unless the database is known not to have made it.
 */
public interface Documents extends AutoCloseable {

    /** The greatest number of keys of one snapshot or write. */
    int maxKeys();

    /** Reads the store's document and those of {@code keys}, all of one moment. */
    Snapshot read(Collection<LockKey> keys);

    /**
     * Writes changes, all or none, if the keys they concern are as they were in {@code snapshot}, and so is the store if
     * it changes or a lease is granted. A lease or quiet period may last longer than the changes say, if the database
     * counts it from the write, and never shorter.
     *
     * @return whether they were, and the changes are written
     */
    boolean write(Snapshot snapshot, Changes changes);

    /**
     * Writes leases that differ from those of {@code snapshot} in their end only.
     *
     * @return whether the keys were as in the snapshot, and the leases have their new ends
     */
    default boolean renew(Snapshot snapshot, Changes renewed) {
        return write(snapshot, renewed);
    }

    /**
     * Reads the keys after {@code after} in the order of keys, at most {@code limit}.
     *
     * @param tenant only keys of this tenant, or {@code null} for all
     * @param namePrefix only names with this prefix, if a tenant is given
     */
    Snapshot scan(@Nullable String tenant, String namePrefix, @Nullable LockKey after, int limit);

    /** Wake-ups about keys that may have become free. */
    ChangeFeed changes();

    @Override
    void close();

    /**
     * Documents of one moment.
     *
     * @param now the database's time
     * @param store the store's document, or {@code null} if there is none
     * @param keys the documents of those keys that have one
     * @param versions for {@link #write}, known to the database only
     */
    record Snapshot(
            Instant now, @Nullable StoreDocument store, SortedMap<LockKey, KeyDocument> keys, Object versions) {}

    /**
     * Changes of documents.
     *
     * @param store the store's new document, or {@code null} if it does not change
     * @param keys the new documents of keys
     * @param forgotten keys whose documents are deleted
     */
    record Changes(@Nullable StoreDocument store, Map<LockKey, KeyDocument> keys, List<LockKey> forgotten) {

        /** Changes of keys only. */
        public static Changes of(Map<LockKey, KeyDocument> keys) {
            return new Changes(null, keys, List.of());
        }

        /** The new documents of keys whose leases are not those of {@code snapshot}. */
        public SortedMap<LockKey, KeyDocument> granted(Snapshot snapshot) {
            SortedMap<LockKey, KeyDocument> granted = new TreeMap<>(keys);
            granted.entrySet().removeIf(change -> {
                KeyDocument before = snapshot.keys().get(change.getKey());
                LeaseRow had = before == null ? null : before.lease();
                LeaseRow has = change.getValue().lease();
                return has == null || (had != null && has.isProvedBy(had.id(), had.token()));
            });
            return granted;
        }
    }
}

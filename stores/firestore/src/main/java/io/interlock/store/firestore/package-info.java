/**
 * Leases in Firestore in native mode.
 *
 * <pre>{@code firestore://project/database?prefix=interlock&maxLease=5m&timeout=5s}</pre>
 *
 * <p>{@code credentials=} is a file; without it the client looks for credentials in its surroundings, as all clients of
 * Google do. {@code emulator=host:port} is a server without login and TLS, for tests.
 *
 * <p><b>Guarantees.</b> Firestore's clock decides. A lease lasts from the time of the commit that granted or renewed it,
 * which is the document's update time, for the time that the document says: it cannot have begun before its request. It
 * has ended if a read that saw it, and saw no later commit, has a later time. A key is granted by a commit that fails if its
 * document has another update time than was read, in a transaction that fails if the store's document has changed.
 * So a read time that lags behind delays the next grant and makes none too early.
 *
 * <p><b>Limits.</b> No wake-ups: waiting clients poll. Firestore sustains about one write a second for each document, so
 * leases are renewed once a second at most.
 *
 * <p><b>Data</b>, in the collection {@code prefix}: {@code store}, and {@code key,tenant,name} for each key, whose field
 * {@code deleteAt} fits a policy of time-to-live.
 */
@NullMarked
package io.interlock.store.firestore;

import org.jspecify.annotations.NullMarked;

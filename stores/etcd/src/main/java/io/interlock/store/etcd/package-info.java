/**
 * Leases in etcd 3.4 or later.
 *
 * <pre>{@code etcd://[user:password@]host:port,host:port,…?prefix=interlock&maxLease=5m&timeout=5s}</pre>
 *
 * <p>{@code etcds:} uses TLS and checks certificates against the trust store of the Java process, or against the file
 * {@code ca=}; {@code cert=} and {@code key=} are files of the client's own certificate.
 *
 * <p><b>Guarantees.</b> A lease is a document and a key that etcd deletes when its own lease ends, so etcd's leader
 * judges when a lease is over, and a majority of members has every grant. A grant is one transaction that compares the
 * document's revision. Leases of etcd last whole seconds: a key opens up to two seconds after its lease ended, and after
 * the election of a leader up to one ttl later, because a new leader extends all leases.
 *
 * <p><b>Times.</b> etcd has no clock to ask. The times of leases come from a clock that the clients keep together: each
 * takes the greatest time it has read, and counts on from there. They are for people, and for tokens, which rise by
 * comparison too; they decide nothing.
 *
 * <p><b>Limits.</b> If a majority of members loses its data, no client remembers, and the store begins anew, old holders
 * may still work: run {@code interlock store bump-epoch} after such a loss, or after a restored backup.
 *
 * <p><b>Data</b>, below {@code prefix/}: {@code store}; {@code key/tenant,name} for each key; {@code hold/} and
 * {@code delay/} with a lease of etcd while a key is held or closed; {@code wait/} for each process that waits, in the
 * order they came, so that a release wakes the first; {@code quiet} during a quiet period. A limited user needs
 * {@code readwrite} on the prefix.
 */
@NullMarked
package io.interlock.store.etcd;

import org.jspecify.annotations.NullMarked;

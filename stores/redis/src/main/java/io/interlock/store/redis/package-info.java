/**
 * Leases in Redis 7 or later, for speed.
 *
 * <pre>{@code redis://[user:password@]host:port/db?prefix=interlock&maxLease=5m&timeout=5s}</pre>
 *
 * <p>{@code rediss:} uses TLS and checks the certificate against the trust store of the Java process. Further options:
 * {@code waitReplicas=n} (default 0) counts a grant only when {@code n} replicas have it; {@code firstUse=true}
 * asserts that an empty Redis, just started, never held leases of this prefix, so that it needs no quiet period at
 * first. Do not use it in a permanent configuration.
 *
 * <p><b>Guarantees.</b> On one Redis: exclusion and increasing tokens, as in every store, by the clock of Redis. A
 * restarted Redis may have lost its last leases, or all of them. Before a script grants anything, it checks that it
 * runs in the same Redis process as before, and that this was the primary all the time; if not, a new epoch begins and
 * nothing is granted until all earlier leases must have expired ({@code maxLease}). Only a Redis with
 * {@code appendonly yes} and {@code appendfsync always}, and
 * without replicas, loses nothing and continues at once. A new epoch also begins when the data is flushed.
 *
 * <p><b>Limits.</b> Replication is asynchronous: a promoted replica may lack the last leases, and if clients still
 * reach the old primary, two clients may hold a key for up to {@code maxLease}. The token protects resources that
 * check it: tokens of the new epoch are greater. {@code waitReplicas} makes this rarer, not impossible. There is no
 * Redlock: more
 * servers without consensus do not help. If that is not enough, use PostgreSQL.
 *
 * <p>If all data is lost and no process remembers the epoch, the next epoch is at least the number of weeks since
 * 2025; tokens then still increase, unless there were more epochs than weeks.
 *
 * <p><b>Data.</b> All under one hash tag, {@code {prefix}}: a hash for each lease ({@code :l:tenant,name}), the
 * store record ({@code :store}), an index by key and one by time ({@code :index}, {@code :due}) and a channel
 * ({@code :wake}). So a namespace is in one slot of a Redis Cluster, and one script may change many leases; to spread
 * load, use several prefixes, and in each URL the address of the node that serves it. Nothing has a time to live in
 * Redis: only the scripts decide when a lease ends. {@code maxmemory-policy} must be {@code noeviction}.
 *
 * <p>A user with limited privileges needs keys and channels {@code {prefix}:*}, and the commands of the scripts:
 * {@code eval evalsha info time hmget hget hset hsetnx hdel del zadd zrem zrange zrangebylex zrangebyscore publish
 * subscribe},
 * with {@code waitReplicas} also {@code wait}, and {@code config|get} to recognise restarts without loss.
 */
@NullMarked
package io.interlock.store.redis;

import org.jspecify.annotations.NullMarked;

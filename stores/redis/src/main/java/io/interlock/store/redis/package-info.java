/**
 * Leases in Redis 7 or later: the tier for speed.
 *
 * <pre>{@code redis://[user:password@]host:port/db?prefix=interlock&maxLease=5m&timeout=5s}</pre>
 *
 * <p>{@code rediss:} speaks TLS and checks the certificate against what the Java process trusts. Further options:
 * {@code waitReplicas=n} (default 0) counts a grant only when {@code n} replicas have it; {@code firstUse=true} vouches that an empty Redis, just started, never held leases of this prefix, so
 * that it need not be quiet at first. Leave that one out of any configuration that stays.
 *
 * <p><b>What is promised.</b> On one Redis: exclusion and rising tokens, as in every store, by the clock of Redis. A Redis
 * that restarts may come back without its last leases, or with none. Before a script grants anything, it checks that it
 * runs in the same Redis process as before, and that this was the primary all the time; if not, a new epoch begins and
 * nothing is granted until all leases given out before must be over ({@code maxLease}). Only a Redis with {@code appendonly yes} and {@code appendfsync always}, and
 * without replicas, loses nothing and goes on at once. The same happens when the data is flushed under our feet.
 *
 * <p><b>What is not.</b> Replication is asynchronous: a replica that becomes primary may lack the last leases, and if the
 * old primary still answers somebody, two may hold a key for up to {@code maxLease}. The token protects what checks it:
 * tokens of the new epoch are greater. {@code waitReplicas} makes this rarer, not impossible. There is no Redlock: more
 * servers without consensus do not help. If that is not enough, use PostgreSQL.
 *
 * <p>If all data is lost while no process that knows the epoch lives on, the next epoch is at least the number of weeks
 * since 2025; tokens then still rise, unless epochs were begun more often than weekly.
 *
 * <p><b>What is kept.</b> All under one hash tag, {@code {prefix}}: a hash for each lease ({@code :l:tenant,name}), the
 * store record ({@code :store}), an index by key and one by time ({@code :index}, {@code :due}) and a channel
 * ({@code :wake}). So a namespace lives in one slot of a Redis Cluster, and one script may touch many leases; to spread
 * load, use several prefixes, and in each URL the address of the node that serves it. Nothing has a time to live in Redis:
 * when a lease ends is decided in one place. {@code maxmemory-policy} must be {@code noeviction}.
 *
 * <p>A user with limited rights needs keys and channels {@code {prefix}:*}, and the commands of the scripts:
 * {@code eval evalsha info time hmget hget hset hsetnx hdel del zadd zrem zrange zrangebylex zrangebyscore publish subscribe},
 * with {@code waitReplicas} also {@code wait}, and {@code config|get} if restarts without loss shall be recognised.
 */
@NullMarked
package io.interlock.store.redis;

import org.jspecify.annotations.NullMarked;

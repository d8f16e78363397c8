package io.interlock.spring.boot;

import io.interlock.LockKey;
import io.interlock.locks.LeaseOptions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Interlock.
 *
 * @param enabled whether Interlock is set up at all
 * @param store URL of the store, such as postgresql://user:password@host/db; without it, the database of the application's DataSource
 * @param options options of the store's URL when the store is the DataSource's database, such as schema, prefix, migrate or maxLease
 * @param tenant tenant of keys that name none
 * @param lease how long a key stays closed after its holder has died; leases are renewed meanwhile
 * @param lockDelay how much longer it stays closed, for resources that check no tokens
 * @param maxRuntime how long an exclusive method may run unless it says otherwise; without it, for ever
 * @param shutdownTimeout how long the shutdown waits for exclusive methods that still run
 * @param insideTransactions whether exclusive methods may be called inside of a transaction, which then commits after the key is free
 */
@ConfigurationProperties("interlock")
public record InterlockProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @DefaultValue Map<String, String> options,
        @DefaultValue(LockKey.DEFAULT_TENANT) String tenant,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("0s") Duration lockDelay,
        @Nullable Duration maxRuntime,
        @DefaultValue("25s") Duration shutdownTimeout,
        @DefaultValue("false") boolean insideTransactions) {

    LeaseOptions leaseOptions() {
        LeaseOptions terms = LeaseOptions.defaults().ttl(lease).lockDelay(lockDelay);
        return maxRuntime == null ? terms : terms.maxHold(maxRuntime);
    }
}

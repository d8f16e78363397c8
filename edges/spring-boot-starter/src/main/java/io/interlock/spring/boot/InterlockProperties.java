package io.interlock.spring.boot;

import io.interlock.LockKey;
import io.interlock.locks.LeaseOptions;
import java.nio.file.Path;
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
 * @param server a server that keeps the locks, instead of a store
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
        @Nullable Server server,
        @DefaultValue Map<String, String> options,
        @DefaultValue(LockKey.DEFAULT_TENANT) String tenant,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("0s") Duration lockDelay,
        @Nullable Duration maxRuntime,
        @DefaultValue("25s") Duration shutdownTimeout,
        @DefaultValue("false") boolean insideTransactions) {

    /**
     * A server that keeps the locks.
     *
     * @param url address of the server, such as https://locks.example.org; needs the module interlock-client
     * @param apiKey API key with the role worker or a higher one
     * @param certificates PEM file with the authority of the server's certificate; without it, those that Java trusts
     */
    public record Server(
            @Nullable String url,
            @Nullable String apiKey,
            @Nullable Path certificates) {

        /**
         * Nothing: {@code INTERLOCK_SERVER}, a variable of the command line and other clients, looks like this property but does not set up
         * an application.
         */
        public static Server of(String variable) {
            return new Server(null, null, null);
        }

        // Without the API key.
        @Override
        public String toString() {
            return "Server[" + url + "]";
        }
    }

    // Without the store and its options, which may have passwords.
    @Override
    public String toString() {
        return "InterlockProperties[enabled=" + enabled + ", server=" + server + ", tenant=" + tenant + "]";
    }

    LeaseOptions leaseOptions() {
        LeaseOptions terms = LeaseOptions.defaults().ttl(lease).lockDelay(lockDelay);
        return maxRuntime == null ? terms : terms.maxHold(maxRuntime);
    }
}

package io.interlock.spring.boot;

import io.interlock.InvalidSettingException;
import io.interlock.client.InterlockClient;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.Locks;
import io.interlock.metrics.InterlockMeters;
import io.interlock.spring.EnableExclusiveRun;
import io.interlock.spring.ExclusiveRunSettings;
import io.interlock.spring.LostLeaseRollback;
import io.interlock.spring.shedlock.InterlockLockProvider;
import io.interlock.time.Environment;
import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Sets up {@link Locks} and {@link io.interlock.spring.ExclusiveRun} from {@code interlock.*}: at a server, in a store, or in the database of
 * the application's own {@link DataSource}. A bean of type {@link Locks} replaces the one made here.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        },
        beforeName =
                "org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration")
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(InterlockProperties.class)
@EnableExclusiveRun
public final class InterlockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ExclusiveRunSettings exclusiveRunSettings(InterlockProperties properties) {
        return new ExclusiveRunSettings(properties.tenant(), properties.insideTransactions());
    }

    /** The leases of a server. Before those of a store, which are only made if there are no others. */
    @Configuration(proxyBeanMethods = false)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    @ConditionalOnClass(name = "io.interlock.client.InterlockClient")
    @ConditionalOnProperty("interlock.server.url")
    @ConditionalOnMissingBean({Locks.class, LeaseClient.class})
    static class AtServer {

        @Bean
        @ConditionalOnMissingBean
        InterlockClient interlockClient(InterlockProperties properties) {
            return ServerClient.of(properties);
        }

        @Bean
        LeaseClient interlockLeases(InterlockClient client, ObjectProvider<MeterRegistry> registry) {
            MeterRegistry meters = registry.getIfUnique();
            return meters == null ? client.leases() : InterlockMeters.on(meters).around(client.leases());
        }
    }

    /** Locks on leases of a server or a store: for callers that renew them, and without that. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Locks.class)
    static class OnLeases {

        @Bean
        @ConditionalOnMissingBean
        LeaseClient interlockLeases(
                InterlockProperties properties,
                ObjectProvider<DataSource> dataSource,
                ObjectProvider<MeterRegistry> registry) {
            String url = url(properties, dataSource);
            MeterRegistry meters = registry.getIfUnique();
            return meters == null
                    ? LeaseClient.open(url, Environment.system())
                    : InterlockMeters.on(meters).open(url, Environment.system());
        }

        // Closed by the lifecycle, while everything that its work uses is still open.
        @Bean(destroyMethod = "")
        Locks interlockLocks(LeaseClient leases, InterlockProperties properties) {
            return leases.locks()
                    .options(properties.leaseOptions())
                    .drainTime(properties.shutdownTimeout())
                    .build();
        }

        @Bean
        SmartLifecycle interlockLifecycle(Locks locks) {
            return new LocksLifecycle(locks);
        }

        private static String url(InterlockProperties properties, ObjectProvider<DataSource> dataSource) {
            InterlockProperties.Server server = properties.server();
            if (server != null && server.url() != null) {
                throw new InvalidSettingException(
                        "interlock.server.url",
                        server.url(),
                        "needs the module interlock-client, which is not on the class path",
                        "add the dependency io.interlock:interlock-client");
            }
            if (server != null && server.apiKey() != null) {
                throw new InvalidSettingException(
                        "interlock.server.url",
                        "",
                        "is not set, but interlock.server.api-key is",
                        "set it to the server's address, such as https://locks.example.org");
            }
            if (properties.store() != null) {
                return properties.store();
            }
            DataSource only = dataSource.getIfUnique();
            if (only == null) {
                long number = dataSource.stream().count();
                throw new InvalidSettingException(
                        "interlock.store",
                        "",
                        "is not set, and the application has " + (number == 0 ? "no" : number) + " DataSource"
                                + (number == 1 ? "" : "s") + " to take the database from",
                        "set interlock.store to a URL such as postgresql://user:password@host/db or interlock.server.url to a"
                                + " server, mark one DataSource as @Primary, or set interlock.store=memory: for a single"
                                + " process");
            }
            return DataSourceUrl.of(only, properties.options());
        }

        /** ShedLock in the same store, for applications that are on their way from one to the other. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = "net.javacrumbs.shedlock.core.LockProvider")
        static class WithShedLock {

            @Bean
            @ConditionalOnMissingBean(LockProvider.class)
            InterlockLockProvider interlockLockProvider(LeaseClient leases, InterlockProperties properties) {
                return new InterlockLockProvider(leases, properties.tenant());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
    static class WithTransactions {

        @Bean
        @ConditionalOnMissingBean
        LostLeaseRollback interlockLostLeaseRollback() {
            return new LostLeaseRollback();
        }
    }

    /**
     * Closes the locks when the application stops: after web servers and schedulers have let their work end, and before the first bean is
     * destroyed that work under a lease may need.
     */
    private static final class LocksLifecycle implements SmartLifecycle {

        /** Below the phases of web servers, and of schedulers and executors, which are stopped first. */
        private static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

        private final Locks locks;
        private volatile boolean running;

        LocksLifecycle(Locks locks) {
            this.locks = locks;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            locks.close();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        // Closed locks cannot be opened again, so a context that only pauses keeps them.
        @Override
        public boolean isPauseable() {
            return false;
        }

        @Override
        public int getPhase() {
            return PHASE;
        }
    }
}

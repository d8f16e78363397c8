package io.interlock.spring.boot;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.locks.Locks;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint {@code locks}, and the health of the store as a part of readiness. */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBean({Locks.class, InterlockProperties.class})
public final class InterlockActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.endpoint.annotation.Endpoint")
    static class WithEndpoint {

        @Bean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
        @ConditionalOnMissingBean
        LocksEndpoint locksEndpoint(Locks locks, InterlockProperties properties) {
            return new LocksEndpoint(locks, properties.tenant());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @ConditionalOnEnabledHealthIndicator("interlock")
    static class WithHealth {

        private static final LockKey PROBE = LockKey.of("interlock/health");

        @Bean
        HealthIndicator interlockHealthIndicator(Locks locks) {
            return () -> {
                Health.Builder health = new Health.Builder()
                        .withDetail("store", locks.capabilities().store());
                try {
                    locks.find(PROBE);
                    return health.up().build();
                } catch (InterlockException unavailable) {
                    return health.down(unavailable).build();
                }
            };
        }

        // An instance whose store is away should get no requests; to start it anew would not help.
        @Bean
        static HealthEndpointGroupsPostProcessor interlockInReadiness() {
            return ReadinessGroups::new;
        }
    }
}

package io.interlock.spring.boot;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.locks.Locks;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
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

    /** The groups of the health endpoint, with {@code interlock} as a member of {@code readiness} and never of {@code liveness}. */
    private record ReadinessGroups(HealthEndpointGroups groups) implements HealthEndpointGroups {

        @Override
        public HealthEndpointGroup getPrimary() {
            return groups.getPrimary();
        }

        @Override
        public Set<String> getNames() {
            return groups.getNames();
        }

        @Override
        public @Nullable HealthEndpointGroup get(String name) {
            HealthEndpointGroup group = groups.get(name);
            return group != null && Set.of("readiness", "liveness").contains(name)
                    ? new Group(group, name.equals("readiness"))
                    : group;
        }

        private record Group(HealthEndpointGroup group, boolean hasInterlock) implements HealthEndpointGroup {

            @Override
            public boolean isMember(String name) {
                return name.equals("interlock") ? hasInterlock : group.isMember(name);
            }

            @Override
            public boolean showComponents(SecurityContext security) {
                return group.showComponents(security);
            }

            @Override
            public boolean showDetails(SecurityContext security) {
                return group.showDetails(security);
            }

            @Override
            public StatusAggregator getStatusAggregator() {
                return group.getStatusAggregator();
            }

            @Override
            public HttpCodeStatusMapper getHttpCodeStatusMapper() {
                return group.getHttpCodeStatusMapper();
            }

            @Override
            public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
                return group.getAdditionalPath();
            }
        }
    }
}

package io.interlock.spring.boot;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;

/** The groups of the health endpoint, with {@code interlock} as a member of {@code readiness} and never of {@code liveness}. */
record ReadinessGroups(HealthEndpointGroups groups) implements HealthEndpointGroups {

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

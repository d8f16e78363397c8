package io.interlock.metrics;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The tags of readings: the job, and the tenant if that is enabled, except on stages. */
final class Labels {

    private static final int MOST_OTHER_JOBS = 50;

    private final BoundedTag jobs;
    private final @Nullable BoundedTag tenants;
    private final Map<String, Set<String>> stages = new ConcurrentHashMap<>();

    Labels(MeterRegistry registry, int mostTenants) {
        this.jobs = new BoundedTag("job", MOST_OTHER_JOBS, registry);
        this.tenants = mostTenants > 0 ? new BoundedTag("tenant", mostTenants, registry) : null;
    }

    void know(Jobs configured) {
        jobs.know(configured.all().stream().map(job -> job.name().value()).toList());
        for (Job job : configured.all()) {
            stages.put(job.name().value(), Set.copyOf(job.stages().keySet()));
        }
    }

    /** For stages, of which each job has several, each with many series. */
    List<Tag> of(String job) {
        return List.of(Tag.of("job", jobs.of(job)));
    }

    /** For events of a key. */
    List<Tag> of(String job, LockKey key) {
        return of(job, key.tenant());
    }

    /** For events of a tenant. */
    List<Tag> of(String job, String tenant) {
        List<Tag> tags = new ArrayList<>(of(job));
        if (tenants != null) {
            tags.add(Tag.of("tenant", tenants.of(tenant)));
        }
        return tags;
    }

    /** Whether readings have a tag for the tenant. */
    boolean byTenant() {
        return tenants != null;
    }

    /** A stage keeps its name only if its job declares it, because handlers choose stage names freely. */
    String stage(String job, String stage) {
        return stages.getOrDefault(job, Set.of()).contains(stage) ? stage : BoundedTag.OTHER;
    }
}

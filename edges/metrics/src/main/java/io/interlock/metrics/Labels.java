package io.interlock.metrics;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
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

    /**
     * A tag with external values. The first ones keep their names; values beyond the cap are counted together as
     * {@code _other}, so that callers cannot fill the memory of a metrics server. Thread-safe.
     */
    static final class BoundedTag {

        static final String OTHER = "_other";

        private final int cap;
        private final Set<String> known = ConcurrentHashMap.newKeySet();
        private final Counter folded;

        BoundedTag(String name, int cap, MeterRegistry registry) {
            this.cap = cap;
            this.folded = Counter.builder("interlock.metrics.tag.overflow")
                    .description("Readings whose tag value was folded into _other")
                    .tag("tag", name)
                    .register(registry);
        }

        /** These values always keep their names: configuration bounds them. */
        void know(Collection<String> values) {
            known.addAll(values);
        }

        /** The value to tag with. */
        String of(String value) {
            if (known.contains(value)) {
                return value;
            }
            // Concurrent callers may exceed the cap once, by at most the number of threads.
            if (known.size() < cap) {
                known.add(value);
                return value;
            }
            folded.increment();
            return OTHER;
        }
    }

    /** The upper ends of the buckets of a timer. */
    static Duration[] buckets(double... seconds) {
        return DoubleStream.of(seconds)
                .mapToObj(second -> Duration.ofMillis(Math.round(second * 1_000)))
                .toArray(Duration[]::new);
    }

    /** Adds one to a counter. */
    static void count(MeterRegistry registry, String name, String description, Iterable<Tag> tags) {
        Counter.builder(name)
                .description(description)
                .tags(tags)
                .register(registry)
                .increment();
    }

    /** The name of a type as a tag: {@code QueueFull} becomes {@code queue_full}. */
    static String named(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }
}

package io.interlock.server.compat;

import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which jobs can be started through which compatible API. Immutable. */
public final class CompatJobs {

    private final List<JobSettings> jobs;

    /** Those of {@code jobs} that have a compatible API. */
    public CompatJobs(Collection<JobSettings> jobs) {
        this.jobs = List.copyOf(jobs);
    }

    /** All jobs of a compatible API. */
    public List<JobSettings> of(CompatApi api) {
        return jobs.stream().filter(job -> job.api() == api).toList();
    }

    /** The job of a compatible API that is called so. */
    public Optional<JobSettings> find(CompatApi api, String name) {
        return of(api).stream().filter(job -> job.name().equals(name)).findFirst();
    }

    /** The job of a compatible API that a type stands for: {@code SCALE_WORKERS} is also the job {@code scale-workers}. */
    public Optional<JobSettings> ofType(CompatApi api, String type) {
        return find(api, type)
                .or(() -> of(api).stream()
                        .filter(job -> type(job.name()).equals(type(type)))
                        .findFirst());
    }

    /** A job's name as a type. */
    public static String type(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}

package io.interlock.server.door;

import io.interlock.config.Door;
import io.interlock.config.JobSettings;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which jobs can be started through which door. Immutable. */
public final class DoorJobs {

    private final List<JobSettings> jobs;

    /** Those of {@code jobs} that have a door. */
    public DoorJobs(Collection<JobSettings> jobs) {
        this.jobs = List.copyOf(jobs);
    }

    /** All jobs of a door. */
    public List<JobSettings> of(Door door) {
        return jobs.stream().filter(job -> job.door() == door).toList();
    }

    /** The job of a door that is called so. */
    public Optional<JobSettings> find(Door door, String name) {
        return of(door).stream().filter(job -> job.name().equals(name)).findFirst();
    }

    /** The job of a door that a type stands for: {@code SCALE_WORKERS} is also the job {@code scale-workers}. */
    public Optional<JobSettings> ofType(Door door, String type) {
        return find(door, type)
                .or(() -> of(door).stream()
                        .filter(job -> type(job.name()).equals(type(type)))
                        .findFirst());
    }

    /** A job's name as a type. */
    public static String type(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}

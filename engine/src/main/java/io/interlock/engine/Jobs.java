package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.run.JobName;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs an engine knows, by their names. Immutable. */
public final class Jobs {

    private final Map<JobName, Job> byName;

    private Jobs(Map<JobName, Job> byName) {
        this.byName = byName;
    }

    /** These jobs. */
    public static Jobs of(Job... jobs) {
        return of(Arrays.asList(jobs));
    }

    /**
     * These jobs.
     *
     * @throws InvalidSettingException if two have the same name
     */
    public static Jobs of(Collection<Job> jobs) {
        Map<JobName, Job> byName = new LinkedHashMap<>();
        for (Job job : jobs) {
            if (byName.put(job.name(), job) != null) {
                throw new InvalidSettingException(
                        "job", job.name(), "is defined twice", "give each job a name of its own");
            }
        }
        return new Jobs(byName);
    }

    /** All of them, in the order they were given. */
    public Collection<Job> all() {
        return Collections.unmodifiableCollection(byName.values());
    }

    /** The job called so. */
    public Optional<Job> find(JobName name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * The job called so.
     *
     * @throws UnknownJobException if there is none
     */
    public Job require(JobName name) {
        return find(name).orElseThrow(() -> new UnknownJobException(name, byName.keySet(), closest(name)));
    }

    private @Nullable JobName closest(JobName name) {
        return NearestWord.to(
                        name.value(),
                        byName.keySet().stream().map(JobName::value).toList())
                .map(JobName::new)
                .orElse(null);
    }
}

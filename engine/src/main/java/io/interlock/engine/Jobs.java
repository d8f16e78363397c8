package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.run.JobName;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
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

    /** The name most like {@code name}, if one is alike at all. */
    private @Nullable JobName closest(JobName name) {
        int limit = Math.max(1, name.value().length() / 3);
        return byName.keySet().stream()
                .min(Comparator.comparingInt(known -> distance(known.value(), name.value())))
                .filter(known -> distance(known.value(), name.value()) <= limit)
                .orElse(null);
    }

    /** How many letters must be changed, added or left out to make one of the other. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[b.length()];
    }
}

package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.run.JobName;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs an engine knows, by their names. Immutable. */
public final class Jobs {

    private final Map<JobName, Job> byName;

    private Jobs(Map<JobName, Job> byName) {
        this.byName = byName;
    }

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

    /** There is no job of that name. */
    public static final class UnknownJobException extends InterlockException {

        private static final long serialVersionUID = 1L;
        private static final int MOST_NAMED = 20;

        private final String job;
        private final @Nullable String closest;

        /** {@code job} is not among {@code known}; {@code closest} is what may have been meant. */
        public UnknownJobException(JobName job, Collection<JobName> known, @Nullable JobName closest) {
            super("job '" + job + "' is unknown; "
                    + (closest == null ? "" : "did you mean '" + closest + "'? ")
                    + (known.isEmpty() ? "no jobs are defined here" : "known here: " + named(known)));
            this.job = job.value();
            this.closest = closest == null ? null : closest.value();
        }

        public String job() {
            return job;
        }

        /** The name that may have been meant. */
        public Optional<String> closest() {
            return Optional.ofNullable(closest);
        }

        @Override
        public String code() {
            return "unknown-job";
        }

        private static String named(Collection<JobName> known) {
            List<String> names = known.stream()
                    .sorted()
                    .limit(MOST_NAMED)
                    .map(JobName::value)
                    .toList();
            String more = known.size() > names.size() ? " and " + (known.size() - names.size()) + " more" : "";
            return String.join(", ", names) + more;
        }
    }
}

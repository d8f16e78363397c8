package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.run.JobName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** There is no job of that name. */
public final class UnknownJobException extends InterlockException {

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

    /** The unknown name. */
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
        List<String> names =
                known.stream().sorted().limit(MOST_NAMED).map(JobName::value).toList();
        String more = known.size() > names.size() ? " and " + (known.size() - names.size()) + " more" : "";
        return String.join(", ", names) + more;
    }
}

package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs. Every answer is a run as REST tells it, unless said otherwise. */
public interface RunApi {

    /**
     * Which runs to list, the newest first.
     *
     * @param key only under this key, or {@code null}
     * @param state only in this state, or {@code null}
     * @param job only of this job, or {@code null}
     * @param since only those submitted in this last time, or {@code null}
     * @param limit how many at the most
     */
    record Filter(
            @Nullable String key,
            @Nullable String state,
            @Nullable String job,
            @Nullable Duration since,
            int limit) {}

    /**
     * A run that a worker is to do.
     *
     * @param key what it is exclusive under
     * @param job the kind of work
     * @param onConflict what happens if the key is taken, or {@code null} for what the job says
     * @param parameters JSON text
     * @param reason why, or {@code null}
     * @param idempotencyKey by what the same request is known again, or {@code null}
     * @param priority from −100 to 100
     */
    record Wish(
            String key,
            String job,
            @Nullable String onConflict,
            String parameters,
            @Nullable String reason,
            @Nullable String idempotencyKey,
            int priority) {}

    /** Runs. */
    List<Facts> list(Filter filter);

    /** Dead letters that nobody has settled, the newest first; only of {@code job}, unless it is {@code null}. */
    List<Facts> dead(@Nullable String job, int limit);

    /** One run with its attempts, stages, parameters and output. */
    Facts show(String id);

    /** One run, when it has ended or {@code most} is over. */
    Facts await(String id, Duration most) throws InterruptedException;

    /** Who waits for {@code key}, in the order of their turns; with {@code null}, for any key. */
    List<Facts> queue(@Nullable String key);

    /** Asks for a run. */
    Facts submit(Wish wish);

    /** Asks for the same as an earlier run once more. */
    Facts rerun(String id, String reason);

    /** Asks a run to stop. */
    Facts cancel(String id, String reason);

    /** Lets a new run do the work of a dead one. */
    Facts redrive(String id, String reason);

    /** Says that nobody does the work of a dead run. */
    Facts discard(String id, String reason);
}

package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.run.RunQuery;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who has which key, and force. Every answer is a lock as REST tells it, unless said otherwise. */
public interface LockApi {

    /** How many keys are listed at the most. */
    int MOST = RunQuery.MAX_LIMIT;

    /** The first {@link #MOST} keys under which something goes on, of names that begin with {@code prefix}. */
    List<Facts> list(String prefix);

    /** One key. */
    Facts show(String key);

    /**
     * Takes a lease away by force, if it still has this token.
     *
     * @return {@code releasedToken}, {@code opensAt}
     */
    Facts evict(String key, long token, String reason);

    /**
     * Stops new grants under a key, or under all names that begin with a pattern's beginning.
     *
     * @param time how long, or {@code null} until somebody resumes
     * @return {@code key} or {@code pattern}, {@code paused}, {@code pausedBy}, {@code reason}, {@code until}
     */
    Facts pause(String pattern, String reason, @Nullable Duration time);

    /** Ends a pause. */
    void resume(String pattern, String reason);
}

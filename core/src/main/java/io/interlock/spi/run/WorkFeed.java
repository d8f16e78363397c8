package io.interlock.spi.run;

import io.interlock.spi.ChangeFeed;
import org.jspecify.annotations.Nullable;

/** Wake-ups for workers. Like those of {@link ChangeFeed}, they are hints. */
public interface WorkFeed {

    /**
     * Calls {@code lookAgain} whenever a run of {@code tenant}, or of any tenant if {@code null}, may have become
     * claimable. It is called on a thread of the store and must not block.
     */
    ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain);
}

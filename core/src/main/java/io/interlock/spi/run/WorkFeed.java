package io.interlock.spi.run;

import io.interlock.spi.ChangeFeed;
import org.jspecify.annotations.Nullable;

/** Wake-ups for whoever takes work. Hints, as those of {@link ChangeFeed}. */
public interface WorkFeed {

    /**
     * Calls {@code lookAgain} whenever a run of {@code tenant}, or of any tenant if {@code null}, may have become ready to be
     * claimed. It is called on a thread of the store and must return at once.
     */
    ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain);
}

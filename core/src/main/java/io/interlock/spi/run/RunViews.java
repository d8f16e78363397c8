package io.interlock.spi.run;

import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Pause;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.run.Summary.RunCount;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Overviews for users and metrics. Their data may be slightly outdated. */
public interface RunViews {

    /** The time of the store's clock. */
    Instant storeTime();

    /**
     * Keys with a holder, a reservation or waiting runs, in the order of their names. A key with only a pause or a
     * resource is not included. An expired lease is shown until it is deleted.
     */
    List<KeyView> keys(KeyQuery query);

    /**
     * A page of the queue of one key, from the front. A run whose delay is over is shown as ready when a step has settled it.
     */
    KeyLine line(LineQuery query);

    /** The number of runs that have not ended, by state, and of open dead letters. */
    List<RunCount> runCounts();

    /** What goes on in one tenant, all of one moment; at a cost that does not grow with history. */
    Summary summary(String tenant);

    /** Runs and keys by parts of what they are called. */
    SearchResult search(SearchQuery query);

    /** The number of runs of a tenant that have not ended, counted up to {@code most}. */
    OpenRuns openRuns(String tenant, long most);

    /** Pauses in force, of one tenant or, with {@code null}, of all. */
    List<Pause> pauses(@Nullable String tenant);
}

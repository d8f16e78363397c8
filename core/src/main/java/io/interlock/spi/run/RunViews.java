package io.interlock.spi.run;

import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.RunCount;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at everything at once, for people and for metrics. What they show may be a moment old. */
public interface RunViews {

    /** What time it is by the store's clock. */
    Instant storeTime();

    /**
     * Keys that somebody has, that are kept for a run, or that runs wait for, in the order of their names. A key with no
     * more than a pause or a resource is none of them. A lease that has ended is shown until it is cleared.
     */
    List<KeyView> keys(KeyQuery query);

    /** How many runs there are in states that are not the end, and how many open dead letters. */
    List<RunCount> runCounts();

    /** The runs of a tenant that have not ended; it counts no further than to {@code most} of them. */
    OpenRuns openRuns(String tenant, long most);

    /** Pauses in force, of one tenant or, with {@code null}, of all. */
    List<Pause> pauses(@Nullable String tenant);

    /** Resources of a kind, of all tenants, in the order of their keys. */
    List<Resource> resources(ResourceQuery query);
}

package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.Wait;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Reads runs and resources, and what is stored about each. */
public interface RunQueries {

    Optional<Run> findRun(RunId id);

    /** Runs in the order of submission or in reverse, by pages. */
    RunPage listRuns(RunQuery query);

    /** The runs that wait for the key, in the order in which they would start now. */
    List<Run> queue(LockKey key);

    /** Why a run waits; empty if it does not wait or does not exist. */
    Optional<Wait> explain(RunId id);

    /** The ended attempts of a run, in order. */
    List<Attempt> attempts(RunId id);

    /** The end of the output of each attempt of a run that wrote some, by the number of the attempt. */
    SortedMap<Integer, String> outputs(RunId run);

    /** Runs that have used up their attempts, in the order in which they were submitted. */
    List<DeadLetter> deadLetters(DeadLetterQuery query);

    /** The resource of a guarded key; empty if it was never changed. */
    Optional<Resource> resource(LockKey key);

    /** Resources of a kind, of all tenants, in the order of their keys. */
    List<Resource> resources(ResourceQuery query);
}

package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.spi.run.Upkeep.Forgotten;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Helper methods of the contract about history. */
interface HistoryWords extends AuditWords {

    /** Runs for one hour, open letters for three, audit records for two. */
    Retention RETENTION = new Retention(Duration.ofHours(1), Duration.ofHours(3), Duration.ofHours(2));

    /** Deletes history, which must have ended. */
    default Forgotten forget(int limit) {
        Map<RunId, RunState> before = new HashMap<>();
        bench().acknowledged()
                .forEach(id -> client().store().queries().findRun(id).ifPresent(run -> before.put(id, run.state())));
        Forgotten forgotten = client().store().upkeep().forget(RETENTION, limit);
        before.forEach((id, state) -> {
            if (client().store().queries().findRun(id).isEmpty()) {
                assertThat(state.isTerminal()).as("deleted in state %s", state).isTrue();
                bench().forgotten(id);
            }
        });
        if (forgotten.auditRecords() > 0) {
            bench().logsAreCut();
        }
        return forgotten;
    }

    default Run done(String name) {
        client().starts(key(name), spec());
        Claimed work = client().claim();
        return client().succeeds(work);
    }
}

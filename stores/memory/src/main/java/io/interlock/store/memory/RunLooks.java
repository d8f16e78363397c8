package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.Wait;
import io.interlock.spi.run.rules.BareLeases;
import io.interlock.spi.run.rules.Explaining;
import java.util.List;
import java.util.Optional;

/** Looks at runs. What they show is settled where a step on the key is part of the look. */
class RunLooks {

    private final RunTable table;

    RunLooks(RunTable table) {
        this.table = table;
    }

    RunTable table() {
        return table;
    }

    RunPage list(RunQuery query) {
        return table.alone(rows -> RunPage.of(rows.runs(query), query.limit()));
    }

    Optional<Run> find(RunId id) {
        return table.alone(rows -> rows.run(id));
    }

    List<Run> queue(LockKey key) {
        return table.rows.know(key) ? table.step(key, BareLeases::queue) : List.of();
    }

    Optional<Wait> explain(RunId id) {
        return find(id).flatMap(run ->
                table.step(run.key(), room -> Explaining.explain(room, id, table.rows.pastRuntimes(run.key()))));
    }

    List<Attempt> attempts(RunId id) {
        return table.alone(rows -> rows.attempts(id));
    }

    Optional<Resource> resource(LockKey key) {
        return table.alone(rows -> rows.resource(key));
    }

    List<AuditRecord> audit(LockKey key) {
        return table.alone(rows -> rows.audit.of(key));
    }
}

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
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.WaitRules;
import java.util.List;
import java.util.Optional;

/** Queries about runs. The results are settled if the query includes a step on the key. */
class RunQueries {

    private final RunTable table;

    RunQueries(RunTable table) {
        this.table = table;
    }

    RunTable table() {
        return table;
    }

    RunPage list(RunQuery query) {
        return table.alone(rows -> RunPage.of(rows.history.list(query), query.limit()));
    }

    Optional<Run> find(RunId id) {
        return table.alone(rows -> rows.run(id));
    }

    List<Run> queue(LockKey key) {
        if (!table.rows.know(key)) {
            return List.of();
        }
        table.step(key, KeyState::now);
        return table.alone(rows -> rows.waiting(key).stream()
                .sorted(QueueRules.readyFirst(table.now()))
                .toList());
    }

    Optional<Wait> explain(RunId id) {
        return find(id).flatMap(run -> table.step(
                run.key(), state -> WaitRules.explain(state, id, table.rows.history.pastRuntimes(run.key()))));
    }

    List<Attempt> attempts(RunId id) {
        return table.alone(rows -> rows.history.attempts(id));
    }

    Optional<Resource> resource(LockKey key) {
        return table.alone(rows -> rows.resource(key));
    }

    List<AuditRecord> audit(LockKey key) {
        return table.alone(rows -> rows.audit.of(key));
    }
}

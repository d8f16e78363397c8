package io.interlock.store.memory;

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
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.WaitRules;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Runs and resources in memory. */
class MemoryQueries implements RunQueries {

    private final MemoryClient client;

    MemoryQueries(MemoryClient client) {
        this.client = client;
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return client.alone(rows -> rows.run(id));
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        return client.alone(rows -> RunPage.of(rows.history.list(query), query.limit()));
    }

    @Override
    public List<Run> queue(LockKey key) {
        client.table().step(key, KeyState::now);
        return client.alone(rows -> rows.find(key).stream()
                .flatMap(row -> row.waiting().stream())
                .sorted(QueueRules.readyFirst(client.table().now()))
                .toList());
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return findRun(id)
                .flatMap(run -> client.table()
                        .step(
                                run.key(),
                                state -> WaitRules.explain(
                                        state, id, client.table().rows.history.pastRuntimes(run.key()))));
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return client.alone(rows -> rows.history.attempts(id));
    }

    @Override
    public SortedMap<Integer, String> outputs(RunId run) {
        return client.alone(rows -> rows.notes.outputs(run));
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return client.alone(rows -> rows.history
                .deadLetters(query.after())
                .filter(query::matches)
                .limit(query.limit())
                .toList());
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return client.alone(rows -> rows.find(key).map(row -> row.resource));
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return client.table().rows.keys().stream()
                .sorted()
                .flatMap(key -> resource(key).stream())
                .filter(query::matches)
                .limit(query.limit())
                .toList();
    }
}

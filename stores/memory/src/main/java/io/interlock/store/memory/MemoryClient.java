package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Run;
import io.interlock.spi.Answers;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One client of a store in memory: its way to the tables, until it is closed. Thread-safe. */
final class MemoryClient implements AutoCloseable {

    private final RunTable table;
    private final WakeUps wakeUps;
    private volatile boolean closed;

    MemoryClient(Environment environment, RunTable table) {
        this.table = table;
        wakeUps = new WakeUps(environment);
    }

    /** The keys of this store, unless this client is closed. */
    RunTable table() {
        requireOpen();
        return table;
    }

    /** Reads or changes data that belongs to no key, exclusively. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        return table().alone(step);
    }

    /** Changes data that belongs to no key, exclusively. */
    void change(Consumer<RunRows> step) {
        alone(rows -> {
            step.accept(rows);
            return rows;
        });
    }

    /** One step on the key of a run, if there is such a run. */
    <A> Optional<A> about(RunId id, BiFunction<KeyState, Run, A> rule) {
        return alone(rows -> rows.run(id))
                .flatMap(run ->
                        table.step(run.key(), state -> table.rows.run(id).map(known -> rule.apply(state, known))));
    }

    /** The run with this id, within a step. */
    @Nullable
    Run known(RunId id) {
        return table.rows.run(id).orElse(null);
    }

    <Q, A> Answers<A> answer(List<Q> requests, Function<Q, A> step) {
        requireOpen();
        return Answers.of(requests.stream().map(step).toList());
    }

    void wake(LockKey key) {
        table.watchers.callThoseOf(key);
    }

    WakeUps wakeUps() {
        return wakeUps;
    }

    @Override
    public void close() {
        closed = true;
        wakeUps.close();
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(MemoryStore.NAME, "is closed");
        }
    }
}

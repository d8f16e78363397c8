package io.interlock.sqs;

import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A handler that records its executions in order. */
final class Recorder implements RunHandler {

    /**
     * One execution.
     *
     * @param key the key of the run
     * @param parameters the parameters of the run
     */
    record Done(String key, String parameters) {}

    final List<Done> done = new CopyOnWriteArrayList<>();

    @Override
    public String run(RunContext run) {
        done.add(new Done(run.run().key().name(), run.run().spec().parameters()));
        return "{}";
    }

    List<String> of(String key) {
        return done.stream()
                .filter(one -> one.key().equals(key))
                .map(Done::parameters)
                .toList();
    }
}

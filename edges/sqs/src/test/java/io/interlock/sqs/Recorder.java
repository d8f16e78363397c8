package io.interlock.sqs;

import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it is asked to do, in the order in which it does it. */
final class Recorder implements RunHandler {

    /**
     * Something done.
     *
     * @param key under which key
     * @param parameters with which parameters
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

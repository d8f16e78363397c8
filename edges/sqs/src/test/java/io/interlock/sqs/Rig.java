package io.interlock.sqs;

import io.interlock.config.Intake;
import io.interlock.config.SqsSettings;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.sqs.SqsIntake.QueueIntake;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.DoubleSupplier;

/** An engine with an intake, on a store that others may use. */
final class Rig implements AutoCloseable {

    final Recorder recorder;
    final CountDownLatch gate = new CountDownLatch(1);
    final RunEngine engine;
    private final Map<String, DoubleSupplier> gauges = new ConcurrentHashMap<>();
    private final QueueIntake intake;

    Rig(String store, SqsSettings settings) {
        this(store, settings, new Recorder());
    }

    Rig(String store, SqsSettings settings, Recorder recorder) {
        this.recorder = recorder;
        engine = RunEngine.builder(store).jobs(jobs()).build();
        intake = QueueIntake.start(
                settings,
                new Intake.Context(engine, Environment.system(), (name, labels, value) -> gauges.put(name, value)));
    }

    private Jobs jobs() {
        return Jobs.of(
                Job.named("note").handler(recorder).build(),
                Job.named("CHECK").handler(recorder).build(),
                Job.named("wait")
                        .queueCap(1)
                        .handler(run -> {
                            gate.await();
                            return recorder.run(run);
                        })
                        .build(),
                Job.named("destroy")
                        .transition(new Transition("cluster", Set.of("READY"), "DESTROYING", "DESTROYED", "FAILED"))
                        .handler(recorder)
                        .build());
    }

    List<Run> runs() {
        return engine.list(RunQuery.ofTenant("acme")).runs();
    }

    double gauge(String name) {
        return gauges.getOrDefault(name, () -> Double.NaN).getAsDouble();
    }

    @Override
    public void close() {
        intake.close();
        gate.countDown();
        engine.close();
    }
}

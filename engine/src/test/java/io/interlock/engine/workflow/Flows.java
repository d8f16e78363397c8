package io.interlock.engine.workflow;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.FaultyStore;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunRequest;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Engines that share a store, and a workflow {@code flow} of the nodes {@code x} and {@code y}. */
final class Flows implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(30);
    static final RetryPlan THRICE = new RetryPlan(3, Duration.ofMillis(1), 1, Duration.ofMillis(1));
    static final List<String> BOTH = List.of("x", "y");

    final MemoryStore memory = new MemoryStore(Environment.system());
    final FaultyStore faults = new FaultyStore(memory.anotherClient());
    final CountDownLatch mayGo = new CountDownLatch(1);
    private final List<RunEngine> open = new ArrayList<>();

    /** An engine on the store that can be made to fail. */
    RunEngine engine(Duration drain, Job... jobs) {
        return engine(faults.store(), drain, jobs);
    }

    RunEngine engine(RunStore store, Duration drain, Job... jobs) {
        return engine(store, drain, Duration.ofHours(1), jobs);
    }

    RunEngine engine(RunStore store, Duration drain, Duration sweepEvery, Job... jobs) {
        CompletableFuture<RunEngine> built = new CompletableFuture<>();
        List<Job> all = new ArrayList<>();
        for (Job job : jobs) {
            boolean here = job.name().value().equals("flow") && job.work().isPresent();
            all.add(here ? job.doneBy(new NodeRuns(BOTH, built::get)) : job);
        }
        RunEngine engine = RunEngine.builder(store)
                .jobs(Jobs.of(all))
                .pollEvery(Duration.ofMillis(50))
                .sweepEvery(sweepEvery)
                .drainTime(drain)
                .build();
        built.complete(engine);
        open.add(engine);
        return engine;
    }

    static Job flow(RetryPlan retry) {
        return Job.named("flow").retry(retry).handler(run -> null).build();
    }

    static Job node(String name, RunHandler work) {
        return Job.named(name).handler(work).build();
    }

    static Job remote(String name) {
        return Job.named(name).build();
    }

    static Run submit(RunEngine engine) {
        return engine.submit(RunRequest.of(LockKey.of("acme", "workflow/flow"), "flow"))
                .orElseThrow();
    }

    Run newest(Run execution, String node) {
        return memory.queries().listRuns(NodeRuns.runsOf(execution, node).newestFirst()).runs().stream()
                .filter(run -> NodeRuns.askedBy(run).equals(Optional.of(execution.id())))
                .findFirst()
                .orElseThrow();
    }

    boolean hasBoth(Run execution) {
        return BOTH.stream()
                .noneMatch(node -> memory.queries()
                        .listRuns(NodeRuns.runsOf(execution, node))
                        .runs()
                        .isEmpty());
    }

    RunState state(Run run) {
        return memory.queries().findRun(run.id()).orElseThrow().state();
    }

    /** For faults that come once. */
    static void lostIf(boolean lost) {
        if (lost) {
            throw new StoreUnavailableException("faulty", "lost its answer");
        }
    }

    @Override
    public void close() {
        mayGo.countDown();
        faults.up();
        open.forEach(RunEngine::close);
    }
}

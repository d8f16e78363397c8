package io.interlock.benchmark.peer;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.run.Summary.RunCount;
import java.time.Duration;
import java.util.function.Consumer;

/** Interlock's run engine with its defaults: heartbeats, audit log, sealing and sweeping are on. */
final class InterlockRuns implements RunPeer {

    private static final String JOB = "bench";
    private static final Duration DRAIN = Duration.ofSeconds(2);

    @Override
    public String title() {
        return InterlockLocks.NAME;
    }

    @Override
    public Submitting submitter(PostgresAddress address) {
        RunEngine engine = RunEngine.builder(address.storeUrl())
                .jobs(Jobs.of(job().build()))
                .slots(0)
                .drainTime(DRAIN)
                .build();
        return new Submitting() {
            @Override
            public void submit(String name, String key) {
                engine.submit(RunRequest.of(LockKey.of(key), JOB)).orElseThrow();
            }

            @Override
            public long open() {
                return engine.queries().runCounts().stream()
                        .filter(tally -> tally.state() != RunState.DEAD)
                        .mapToLong(RunCount::count)
                        .sum();
            }

            @Override
            public void close() {
                engine.close();
            }
        };
    }

    @Override
    public AutoCloseable worker(PostgresAddress address, int slots, Consumer<String> body) {
        return RunEngine.builder(address.storeUrl())
                .jobs(Jobs.of(job().handler(run -> {
                            body.accept(run.key().name());
                            return null;
                        })
                        .build()))
                .slots(slots)
                .drainTime(DRAIN)
                .build();
    }

    private static JobBuilder job() {
        return Job.named(JOB).onConflict(ConflictPolicy.QUEUE);
    }
}

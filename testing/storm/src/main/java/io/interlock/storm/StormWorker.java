package io.interlock.storm;

import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import java.nio.file.Path;
import java.time.Duration;

/** A worker process of a storm, which works until it is killed or its input ends. */
final class StormWorker {

    private StormWorker() {}

    /** Arguments: the store's URL, and the folder of the witnesses. */
    public static void main(String[] arguments) throws Exception {
        Jobs jobs = Jobs.of(StormJob.in(Path.of(arguments[1])));
        try (RunEngine engine = RunEngine.builder(arguments[0])
                .jobs(jobs)
                .slots(16)
                .pollEvery(Duration.ofMillis(500))
                .sweepEvery(Duration.ofSeconds(2))
                .drainTime(Duration.ofSeconds(5))
                .build()) {
            while (System.in.read() >= 0) {
                engine.workers();
            }
        }
    }
}

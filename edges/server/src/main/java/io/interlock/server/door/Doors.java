package io.interlock.server.door;

import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Workbench;
import io.interlock.server.door.flows.FlowDoor;
import io.interlock.server.door.pipelines.PipelineDoor;
import io.interlock.time.Environment;
import java.util.Collection;

/** All doors, for the jobs of one configuration. Immutable. */
public final class Doors {

    private final DoorJobs jobs;

    private Doors(DoorJobs jobs) {
        this.jobs = jobs;
    }

    /** The doors of {@code jobs}. */
    public static Doors of(Collection<JobSettings> jobs) {
        return new Doors(new DoorJobs(jobs));
    }

    /** Has them served beside {@code operations}. They end with the server. */
    public void addTo(Operations operations, RunEngine engine, Environment environment) {
        Workbench bench = Workbench.of(engine, environment);
        operations
                .also(PipelineDoor.DOCUMENT, PipelineDoor.operations(bench, jobs))
                .also(FlowDoor.DOCUMENT, FlowDoor.operations(bench, jobs))
                .onStop(bench.waits()::close);
    }
}

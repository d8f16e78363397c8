package io.interlock.server.door;

import io.interlock.config.JobSettings;
import io.interlock.config.TriggerSecret;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Workbench;
import io.interlock.server.door.clusters.ClusterDoor;
import io.interlock.server.door.flows.FlowDoor;
import io.interlock.server.door.ingestion.IngestionDoor;
import io.interlock.server.door.pipelines.PipelineDoor;
import io.interlock.server.door.workflows.WorkflowDoor;
import io.interlock.time.Environment;
import java.util.Collection;
import java.util.List;

/** All doors, for the jobs of one configuration. Immutable. */
public final class Doors {

    /** The documents of the doors there are. */
    public static final List<String> DOCUMENTS = List.of(
            PipelineDoor.DOCUMENT,
            FlowDoor.DOCUMENT,
            WorkflowDoor.DOCUMENT,
            ClusterDoor.DOCUMENT,
            IngestionDoor.DOCUMENT);

    private final DoorJobs jobs;
    private final List<TriggerSecret> secrets;

    private Doors(DoorJobs jobs, List<TriggerSecret> secrets) {
        this.jobs = jobs;
        this.secrets = secrets;
    }

    /** The doors of {@code jobs}; {@code secrets} are those by which senders of webhooks are known. */
    public static Doors of(Collection<JobSettings> jobs, Collection<TriggerSecret> secrets) {
        return new Doors(new DoorJobs(jobs), List.copyOf(secrets));
    }

    /** Has them served beside {@code operations}. They end with the server. */
    public void addTo(Operations operations, RunEngine engine, Environment environment) {
        Workbench bench = Workbench.of(engine, environment);
        operations
                .also(PipelineDoor.DOCUMENT, PipelineDoor.operations(bench, jobs))
                .also(FlowDoor.DOCUMENT, FlowDoor.operations(bench, jobs))
                .also(WorkflowDoor.DOCUMENT, WorkflowDoor.operations(bench, jobs, secrets))
                .also(ClusterDoor.DOCUMENT, ClusterDoor.operations(bench, jobs))
                .also(IngestionDoor.DOCUMENT, IngestionDoor.operations(bench, jobs))
                .onStop(bench.waits()::close)
                .onStop(ClusterDoor.watchLifetimes(bench, jobs)::close);
    }
}

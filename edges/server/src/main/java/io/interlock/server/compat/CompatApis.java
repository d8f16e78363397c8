package io.interlock.server.compat;

import io.interlock.config.JobSettings;
import io.interlock.config.TriggerSecret;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.compat.clusters.ClusterApi;
import io.interlock.server.compat.flows.FlowApi;
import io.interlock.server.compat.ingestion.IngestionApi;
import io.interlock.server.compat.pipelines.PipelineApi;
import io.interlock.server.compat.workflows.WorkflowApi;
import io.interlock.time.Environment;
import java.util.Collection;
import java.util.List;

/** All compatible APIs, for the jobs of one configuration. Immutable. */
public final class CompatApis {

    /** The documents of the compatible APIs there are. */
    public static final List<String> DOCUMENTS = List.of(
            PipelineApi.DOCUMENT, FlowApi.DOCUMENT, WorkflowApi.DOCUMENT, ClusterApi.DOCUMENT, IngestionApi.DOCUMENT);

    private final CompatJobs jobs;
    private final List<TriggerSecret> secrets;

    private CompatApis(CompatJobs jobs, List<TriggerSecret> secrets) {
        this.jobs = jobs;
        this.secrets = secrets;
    }

    /** The compatible APIs of {@code jobs}; {@code secrets} are those by which senders of webhooks are known. */
    public static CompatApis of(Collection<JobSettings> jobs, Collection<TriggerSecret> secrets) {
        return new CompatApis(new CompatJobs(jobs), List.copyOf(secrets));
    }

    /** Has them served beside {@code operations}. They end with the server. */
    public void addTo(Operations operations, RunEngine engine, Environment environment) {
        OperationContext context = OperationContext.of(engine, environment);
        operations
                .also(PipelineApi.DOCUMENT, PipelineApi.operations(context, jobs))
                .also(FlowApi.DOCUMENT, FlowApi.operations(context, jobs))
                .also(WorkflowApi.DOCUMENT, WorkflowApi.operations(context, jobs, secrets))
                .also(ClusterApi.DOCUMENT, ClusterApi.operations(context, jobs))
                .also(IngestionApi.DOCUMENT, IngestionApi.operations(context, jobs))
                .onStop(context.waits()::close)
                .onStop(ClusterApi.watchLifetimes(context, jobs)::close);
    }
}

package io.interlock.server.compat;

import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.time.Environment;
import java.util.Collection;
import java.util.List;

/** All compatible APIs. */
public final class CompatApis {

    /** The documents of the compatible APIs there are. */
    public static final List<String> DOCUMENTS = List.of(
            PipelineApi.DOCUMENT, FlowApi.DOCUMENT, WorkflowApi.DOCUMENT, ClusterApi.DOCUMENT, IngestionApi.DOCUMENT);

    private CompatApis() {}

    /**
     * Has those of {@code jobs} served beside {@code operations}. They end with the server.
     *
     * @param secrets by which senders of webhooks are known
     */
    public static void addTo(
            Operations operations,
            RunEngine engine,
            Environment environment,
            Collection<JobSettings> jobs,
            Collection<TriggerSecret> secrets) {
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

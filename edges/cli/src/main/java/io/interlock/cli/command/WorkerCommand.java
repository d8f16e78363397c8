package io.interlock.cli.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code interlock worker}. Only its options are here: help and completion look at all methods of a command, and what does the work
 * has classes that are on the class path of a worker only.
 */
@Command(
        description = "Does the runs of configured jobs, from a store or a server, until it gets TERM or INT.",
        footer = {
            "",
            "Runs under way at that moment get time to end (shutdown.grace).",
            "Through a server it does the runs of the API key's tenant, and needs a key of",
            "role worker. With --port it serves /health/live, /health/ready and /metrics,",
            "without a key.",
            "",
            "Examples:",
            "  interlock worker --config interlock.yaml --store sqlite:/srv/interlock.db",
            "  interlock worker --config interlock.yaml --server https://locks.example"
        })
public final class WorkerCommand extends CliCommand.Targeted {

    @Option(names = "--config", paramLabel = "FILE", description = "The jobs: a YAML file, such as interlock.yaml")
    private @Nullable Path file;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where health and metrics are served, together with --port (default: "
                    + WorkerProcess.LOOPBACK + ")")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Serve health and metrics at this port; 0 takes any free one (default: nowhere)")
    private @Nullable Integer port;

    @Override
    public Integer call() {
        new WorkerProcess(session(), target()).work(file, host, port);
        return 0;
    }
}

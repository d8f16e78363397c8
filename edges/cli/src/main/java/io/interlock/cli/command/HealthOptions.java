package io.interlock.cli.command;

import io.interlock.cli.health.HealthServer;
import io.interlock.cli.text.Failure;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether and where a worker says how it is. */
final class HealthOptions {

    private static final String HERE = "127.0.0.1";
    private static final int LAST = 65_535;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where to say how it is, together with --port (default: " + HERE + ")")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Health and metrics at this port; 0 takes any free one (default: nowhere)")
    private @Nullable Integer port;

    /** Opens it, if there is to be one. */
    Optional<HealthServer> open(CommandContext session) {
        if (port == null) {
            if (host != null) {
                throw Failure.usage("--host says where, and --port is missing", "add --port N, or leave both out");
            }
            return Optional.empty();
        }
        if (port < 0 || port > LAST) {
            throw Failure.usage(
                    "--port '" + port + "' is none", "name one from 1 to " + LAST + ", or 0 for any free one");
        }
        HealthServer health = HealthServer.open(host == null ? HERE : host, port, session.environment());
        session.console().say("says how it is at " + health + "/health/ready and " + health + "/metrics");
        return Optional.of(health);
    }
}

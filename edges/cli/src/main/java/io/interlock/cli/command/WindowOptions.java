package io.interlock.cli.command;

import io.interlock.cli.text.Failure;
import io.interlock.cli.window.Window;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether and where a worker says how it is. */
final class WindowOptions {

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
    Optional<Window> open(Session session) {
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
        Window window = Window.open(host == null ? HERE : host, port, session.environment());
        session.console().say("says how it is at " + window + "/health/ready and " + window + "/metrics");
        return Optional.of(window);
    }
}

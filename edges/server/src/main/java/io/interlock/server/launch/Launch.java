package io.interlock.server.launch;

import io.interlock.config.Configuration;
import io.interlock.server.demo.DemoFolder;
import io.interlock.server.demo.DemoTraffic;
import io.interlock.server.log.LogLines;
import io.interlock.time.Environment;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** From the command line to the exit code. */
public final class Launch {

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> variables;
    private final Environment environment;

    private Launch(PrintStream out, PrintStream err, Map<String, String> variables, Environment environment) {
        this.out = out;
        this.err = err;
        this.variables = Map.copyOf(variables);
        this.environment = environment;
    }

    /** A launch that talks to {@code out} and {@code err}. */
    public static Launch of(PrintStream out, PrintStream err, Map<String, String> variables, Environment environment) {
        return new Launch(out, err, variables, environment);
    }

    /** Does what {@code arguments} say, until somebody ends it; the exit code. */
    public int run(List<String> arguments) {
        try {
            CommandLine line = CommandLine.parse(arguments, variables);
            if (line.help()) {
                out.print(CommandLine.help(line.command()));
                return ExitCode.OK;
            }
            LogLines.requireFormat(variables);
            switch (line.command()) {
                case SERVER -> serve(line);
                case DEMO -> demonstrate(line);
            }
            return ExitCode.OK;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        } catch (RuntimeException | Error failure) {
            StartFailure why = StartFailure.of(failure);
            err.println("interlock: " + why.cause());
            if (!why.nextStep().isEmpty()) {
                err.println("interlock: " + why.nextStep());
            }
            return why.exitCode();
        }
    }

    private void serve(CommandLine line) throws InterruptedException {
        StopSignals signals = StopSignals.listen();
        try (ServerProcess process = ServerProcess.start(Configuration.read(line.given(variables)), environment)) {
            Banner banner = new Banner(process, out);
            banner.title();
            banner.links();
            banner.configuration();
            banner.bootstrapKey();
            ready();
            signals.await();
            err.println("interlock: stopping; work under way may take up to "
                    + process.configuration().settings().worker().grace().toSeconds()
                    + " s. Once more ends it at once.");
        }
    }

    private void demonstrate(CommandLine line) throws InterruptedException {
        StopSignals signals = StopSignals.listen();
        try (DemoFolder folder = DemoFolder.make();
                ServerProcess process = new DemoStart(folder, environment, err).start(line);
                DemoTraffic traffic = DemoTraffic.start(process.engine(), environment)) {
            Banner banner = new Banner(process, out);
            banner.title();
            banner.links();
            banner.demo();
            ready();
            signals.await();
            err.println("interlock: the demo ends, and its data with it.");
        }
    }

    private void ready() {
        out.println("Ready" + startTime() + ". Ctrl-C stops it.");
        out.flush();
    }

    private String startTime() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(began -> Duration.between(began, environment.clock().instant()))
                .map(took -> String.format(" in %.1f s", took.toMillis() / 1000.0))
                .orElse("");
    }
}

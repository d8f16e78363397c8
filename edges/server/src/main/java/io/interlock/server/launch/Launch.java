package io.interlock.server.launch;

import io.interlock.InvalidSettingException;
import io.interlock.StoreCapabilities;
import io.interlock.config.Configuration;
import io.interlock.config.EffectiveProperty;
import io.interlock.config.Given;
import io.interlock.config.Given.Flag;
import io.interlock.config.InterlockSettings;
import io.interlock.config.Listen;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.command.ProcessSignal;
import io.interlock.server.api.Api.ServerVersion;
import io.interlock.server.demo.DemoFolder;
import io.interlock.server.demo.DemoTraffic;
import io.interlock.server.launch.StartFailure.ExitCode;
import io.interlock.server.log.LogLines;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From the command line to the exit code. */
public final class Launch {

    private static final Logger log = LoggerFactory.getLogger(Launch.class);
    private static final int PORTS_TO_TRY = 100;
    private static final int KILLED = 128;
    private static final Map<String, Integer> SIGNALS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> variables;
    private final Environment environment;

    /** A launch that talks to {@code out} and {@code err}. */
    public Launch(PrintStream out, PrintStream err, Map<String, String> variables, Environment environment) {
        this.out = out;
        this.err = err;
        this.variables = Map.copyOf(variables);
        this.environment = environment;
    }

    /** Carries out {@code arguments} until it is stopped; the exit code. */
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
        CountDownLatch stop = stopSignals();
        try (ServerProcess process = ServerProcess.start(Configuration.read(line.given(variables)), environment)) {
            Banner banner = new Banner(process, out);
            banner.title();
            banner.links();
            banner.configuration();
            banner.bootstrapKey();
            ready();
            stop.await();
            err.println("interlock: stopping; work under way may take up to "
                    + process.configuration().settings().worker().grace().toSeconds()
                    + " s. Once more ends it at once.");
        }
    }

    private void demonstrate(CommandLine line) throws InterruptedException {
        CountDownLatch stop = stopSignals();
        try (DemoFolder folder = DemoFolder.make();
                ServerProcess process = startDemo(line, folder);
                DemoTraffic traffic = DemoTraffic.start(process.engine(), environment)) {
            Banner banner = new Banner(process, out);
            banner.title();
            banner.links();
            banner.demo();
            ready();
            stop.await();
            err.println("interlock: the demo ends, and its data with it.");
        }
    }

    /** Starts a server with the demo's own configuration, on the next free port. */
    private ServerProcess startDemo(CommandLine line, DemoFolder folder) {
        Configuration wanted = read(line, folder, line.flags());
        requireRuns(wanted.settings().store());
        Listen listen = wanted.settings().listen();
        int first = listen.port();
        for (int port = first; port < first + PORTS_TO_TRY; port++) {
            if (isFree(listen.host(), port)) {
                if (port != first) {
                    err.println("interlock: port " + first + " is taken; the demo listens at " + port);
                }
                List<Flag> flags = new ArrayList<>(line.flags());
                flags.add(Flag.of("port", Integer.toString(port)));
                return ServerProcess.start(read(line, folder, flags), environment);
            }
        }
        return ServerProcess.start(wanted, environment);
    }

    private static void requireRuns(String store) {
        if (!StoreCapabilities.keepsRuns(store)) {
            throw new InvalidSettingException(
                    "store",
                    store.replaceFirst(":.*", "://…"),
                    "keeps leases only, and the demo shows runs",
                    "leave --store out, or use sqlite:PATH or postgresql://…");
        }
    }

    /** Flags count, but no variables: sample data must not get into a store that was named for other purposes. */
    private static Configuration read(CommandLine line, DemoFolder folder, List<Flag> given) {
        List<Flag> flags = new ArrayList<>();
        flags.add(new Flag("demo", "store", folder.store()));
        flags.addAll(given);
        return Configuration.read(
                new Given(flags, Map.of(), line.config() == null ? folder.configuration() : line.config()));
    }

    private static boolean isFree(String host, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return true;
        } catch (IOException | IllegalArgumentException taken) {
            return false;
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

    /**
     * Is open once TERM, INT or HUP came; the second one ends the process at once. A shutdown hook would do for the first, but the JVM then
     * ends with 128 + signal, as if it had been killed, and hears no second one.
     */
    private static CountDownLatch stopSignals() {
        CountDownLatch asked = new CountDownLatch(1);
        SIGNALS.forEach((name, number) -> {
            try {
                ProcessSignal.handle(name, () -> {
                    if (asked.getCount() == 0) {
                        Runtime.getRuntime().halt(KILLED + number);
                    }
                    asked.countDown();
                });
            } catch (IllegalStateException deaf) {
                log.debug("cannot listen for {}", name, deaf);
            }
        });
        return asked;
    }

    /** What a server says when it is ready. */
    static final class Banner {

        private final ServerProcess process;
        private final PrintStream out;

        Banner(ServerProcess process, PrintStream out) {
            this.process = process;
            this.out = out;
        }

        void title() {
            out.println("Interlock " + ServerVersion.here() + " · Java "
                    + Runtime.version().feature() + " · "
                    + process.engine().capabilities().store());
        }

        void links() {
            line("API", url() + "/api/v1/");
            line("API docs", url() + "/api/v1/openapi.json");
            line("Health", management() + "/health/ready");
            line("Metrics", management() + "/metrics");
            InterlockSettings settings = process.configuration().settings();
            line(
                    "Worker",
                    !process.keepsRuns()
                            ? "none: this store keeps leases only, and runs, compatible APIs among them, are answered with 501"
                            : settings.worker().enabled()
                                    ? settings.worker().slots() + " slots, "
                                            + settings.jobs().size() + " jobs"
                                    : "none here");
        }

        void configuration() {
            Configuration configuration = process.configuration();
            List<EffectiveProperty> all = configuration.effective();
            List<EffectiveProperty> set =
                    all.stream().filter(EffectiveProperty::isSet).toList();
            out.println("Configuration (" + set.size() + " set, " + (all.size() - set.size())
                    + " defaults; all of it: GET /api/v1/config)");
            int width = set.stream().mapToInt(one -> one.name().length()).max().orElse(0);
            for (EffectiveProperty one : set) {
                out.printf("  %-" + Math.max(1, width) + "s = %s  (%s)%n", one.name(), one.value(), one.origin());
            }
            configuration.warnings().forEach(warning -> out.println("  Note: " + warning));
        }

        void bootstrapKey() {
            process.bootstrap().ifPresent(key -> {
                out.println(
                        "There was no admin's API key, so here is one. It is shown once, is admin of tenant default,");
                out.println("may act for any tenant by the header X-Tenant, and counts for "
                        + KeyRing.FIRST_KEY.toDays() + " days; make keys of your own with it:");
                line("API key", key.secret().text());
                line("UI", signInLink(key.secret().text()));
            });
        }

        void demo() {
            String key = process.demoKey();
            line("API key", key);
            line("UI", signInLink(key) + "  (signs in once, within 15 minutes)");
            out.println("Within a minute there are a held key with others in line, a lost lease and a dead letter.");
            out.println("Try it in a second terminal:");
            String curl = "  curl -sS -H 'x-api-key: " + key + "' ";
            String busy = DemoTraffic.BUSY_KEY;
            out.println(curl + "'" + url() + "/api/v1/locks?key=" + busy + "'");
            out.println(curl + "-H 'content-type: application/json' -d '{\"key\": \"" + busy
                    + "\", \"job\": \"backup\", \"onConflict\": \"REJECT\"}' '" + url() + "/api/v1/runs'");
            out.println(curl + "'" + url() + "/api/v1/runs?state=DEAD'");
        }

        void line(String name, String value) {
            out.printf("  %-10s %s%n", name, value);
        }

        private String signInLink(String key) {
            return url() + "/ui/?code=" + process.signInCode(key);
        }

        String url() {
            return url(process.port());
        }

        private String management() {
            return url(process.managementPort());
        }

        private String url(int port) {
            Listen listen = process.configuration().settings().listen();
            String host = listen.host().contains(":") ? "[" + listen.host() + "]" : listen.host();
            return (listen.tls() == null ? "http://" : "https://") + host + ":" + port;
        }
    }
}

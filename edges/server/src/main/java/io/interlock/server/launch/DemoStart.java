package io.interlock.server.launch;

import io.interlock.InvalidSettingException;
import io.interlock.config.Configuration;
import io.interlock.config.Flag;
import io.interlock.config.Given;
import io.interlock.config.Listen;
import io.interlock.server.demo.DemoFolder;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Starts a server with the demo's own configuration, on the next free port. */
final class DemoStart {

    private static final int PORTS_TO_TRY = 100;

    private final DemoFolder folder;
    private final Environment environment;
    private final PrintStream err;

    DemoStart(DemoFolder folder, Environment environment, PrintStream err) {
        this.folder = folder;
        this.environment = environment;
        this.err = err;
    }

    ServerProcess start(CommandLine line) {
        Configuration wanted = read(line, line.flags());
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
                return ServerProcess.start(read(line, flags), environment);
            }
        }
        return ServerProcess.start(wanted, environment);
    }

    private static void requireRuns(String store) {
        if (store.toLowerCase(Locale.ROOT).startsWith("redis")) {
            throw new InvalidSettingException(
                    "store",
                    "redis://…",
                    "keeps leases only, and the demo shows runs",
                    "leave --store out, or use sqlite:PATH or postgresql://…");
        }
    }

    /** Flags count, but no variables: sample data must not get into a store that somebody has named for other purposes. */
    private Configuration read(CommandLine line, List<Flag> given) {
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
}

package io.interlock.server.launch;

import io.interlock.InterlockException;
import io.interlock.config.Given;
import io.interlock.config.Given.Flag;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command line, understood.
 *
 * @param help whether it only asks what there is
 */
record CommandLine(
        Command command,
        boolean help,
        List<Flag> flags,
        @Nullable Path config) {

    private static final String CONFIG = "--config";

    enum Command {
        SERVER,
        DEMO
    }

    /**
     * An option.
     *
     * @param value what stands behind it, for people; empty if nothing does
     * @param fixed what it sets that to, if nothing stands behind it
     */
    private record Option(String name, String value, String property, String fixed, String about) {

        boolean takesValue() {
            return !value.isEmpty();
        }
    }

    private static final List<Option> OPTIONS = List.of(
            new Option("--host", "ADDRESS", "host", "", "where to listen (default: 127.0.0.1)"),
            new Option("--port", "N", "port", "", "default: 8080; 0 takes any free one"),
            new Option("--management-port", "N", "management-port", "", "health and metrics on a port of their own"),
            new Option(
                    "--store", "URL", "store", "", "memory:, sqlite:PATH or postgresql://user:password@host:port/db"),
            new Option(CONFIG, "FILE", "", "", "a YAML file; see docs/configuration.md"),
            new Option("--behind-proxy", "", "behind-proxy", "true", "a proxy in front ends TLS"),
            new Option("--tls-certificate", "FILE", "tls.certificate", "", "PEM, the chain included"),
            new Option("--tls-key", "FILE", "tls.key", "", "PEM"),
            new Option("--no-worker", "", "worker.enabled", "false", "serve requests, but run no jobs here"),
            new Option("--slots", "N", "worker.slots", "", "how many runs are done here at once (default: 16)"));

    /**
     * Understands {@code arguments}, of which the first names the command.
     *
     * @throws UsageException if that is not possible
     */
    static CommandLine parse(List<String> arguments, Map<String, String> environment) {
        Iterator<String> rest = arguments.iterator();
        Command command = command(rest.hasNext() ? rest.next() : "");
        List<Flag> flags = new ArrayList<>();
        String config = command == Command.SERVER ? environment.getOrDefault("INTERLOCK_CONFIG", "") : "";
        boolean help = false;
        while (rest.hasNext()) {
            String word = rest.next();
            if (word.equals("--help") || word.equals("-h")) {
                help = true;
                continue;
            }
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            Option option = option(equals < 0 ? word : word.substring(0, equals));
            String value = option.fixed();
            if (option.takesValue()) {
                value = equals >= 0 ? word.substring(equals + 1) : next(option, rest);
            } else if (equals >= 0) {
                throw new UsageException(option.name() + " takes no value");
            }
            if (option.name().equals(CONFIG)) {
                config = value;
            } else {
                flags.add(new Flag(option.name(), option.property(), value));
            }
        }
        return new CommandLine(command, help, flags, config.isEmpty() ? null : Path.of(config));
    }

    static String help(Command command) {
        String name = command == Command.SERVER ? "server" : "demo";
        String about = command == Command.SERVER
                ? "Serves the REST interface, and does configured jobs."
                : "Serves sample data from a temporary folder that is deleted at the end; nothing to set up.";
        return "Usage: interlock " + name + " [options]\n\n" + about + "\n\n"
                + OPTIONS.stream().map(CommandLine::line).collect(Collectors.joining())
                + (command == Command.SERVER
                        ? "\nEach is also a variable (INTERLOCK_PORT) and a property (interlock.port) of the file; flags win.\n"
                        : "\nVariables are ignored: sample data gets only into the store that a flag names.\n")
                + "Exit codes: 0 told to stop, 64 usage, 69 store or port unavailable, 78 configuration, 125 failed.\n";
    }

    Given given(Map<String, String> environment) {
        return new Given(flags, environment, config);
    }

    private static Command command(String word) {
        return switch (word) {
            case "server" -> Command.SERVER;
            case "demo" -> Command.DEMO;
            default -> throw new UsageException("the command is '" + word + "'; it must be server or demo");
        };
    }

    private static Option option(String word) {
        return OPTIONS.stream()
                .filter(option -> option.name().equals(word))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        word.startsWith("-") ? "there is no option " + word : "'" + word + "' is one word too many"));
    }

    private static String next(Option option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new UsageException(option.name() + " needs a value: " + option.name() + " " + option.value());
        }
        return rest.next();
    }

    private static String line(Option option) {
        return String.format("  %-24s %s%n", (option.name() + " " + option.value()).strip(), option.about());
    }

    static final class UsageException extends InterlockException {

        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }
}

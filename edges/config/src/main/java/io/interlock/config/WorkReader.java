package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.http.HttpSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads how a job is executed. */
final class WorkReader {

    private static final int HIGHEST_EXIT_CODE = 255;

    /** The variables that a command inherits. */
    private enum Inheritance {
        INHERIT,
        CLEAN
    }

    private final Reading reading;
    private final String at;
    private final CompatApi api;
    private final @Nullable Duration maxRuntime;

    /** A reader below {@code at}, as in {@code jobs.export.}, for work that may take {@code maxRuntime}. */
    WorkReader(Reading reading, String at, CompatApi api, @Nullable Duration maxRuntime) {
        this.reading = reading;
        this.at = at;
        this.api = api;
        this.maxRuntime = maxRuntime;
    }

    Work read() {
        List<Work> ways = new ArrayList<>();
        List<String> command = reading.words(at + "run.command");
        Set<Integer> codes = exitCodes();
        String directory = reading.text(at + "run.directory");
        if (!command.isEmpty()) {
            ways.add(new Work.Command(command, directory == null ? null : Path.of(directory), inherited(), codes));
        } else {
            if (!codes.isEmpty()) {
                onlyForCommands("retry.permanent-exit-codes");
            }
            if (reading.isSet(at + "run.environment")) {
                onlyForCommands("run.environment");
            }
        }
        String url = reading.text(at + "run.http.url");
        if (url != null) {
            ways.add(http(url));
        }
        String java = reading.text(at + "run.java");
        if (java != null) {
            ways.add(new Work.Java(java));
        }
        List<String> nodes = reading.words(at + "run.nodes");
        if (!nodes.isEmpty()) {
            ways.add(new Work.Nodes(nodes));
        }
        if (remote()) {
            ways.add(new Work.Remote());
        }
        if (ways.size() != 1) {
            reading.mistake(
                    at + "run",
                    (ways.isEmpty()
                                    ? "does not say how the work is done"
                                    : "has " + ways.size() + " ways to do the work")
                            + "; give one of command, http, java, nodes, worker: remote");
        }
        return ways.isEmpty() ? new Work.Remote() : ways.get(0);
    }

    private void onlyForCommands(String property) {
        reading.mistake(at + property, "is only for jobs that run a command");
    }

    private InheritedEnvironment inherited() {
        boolean clean = reading.choice(at + "run.environment", Inheritance.class)
                .filter(Inheritance.CLEAN::equals)
                .isPresent();
        InheritedEnvironment usual = clean ? InheritedEnvironment.CLEAN : InheritedEnvironment.ALL;
        Set<String> more = Set.copyOf(reading.words(at + "run.environment-allow"));
        return reading.made(at + "run.environment-allow", () -> usual.allowing(more), usual);
    }

    private Work http(String url) {
        String secret = reading.text(at + "run.http.secret-file");
        return new Work.Http(
                reading.address(at + "run.http.url", url),
                timeout(),
                secret == null ? null : new Secret(null, Path.of(secret)),
                reading.text(at + "run.http.callback"));
    }

    /** An answer may take as long as the work: a shorter timeout would fail a run whose work continues. */
    private Duration timeout() {
        Duration own = reading.optionalDuration(at + "run.http.timeout");
        if (own != null && maxRuntime != null && own.compareTo(maxRuntime) > 0) {
            reading.mistake(
                    at + "run.http.timeout",
                    "'" + DurationText.format(own) + "' is above max-runtime, which is "
                            + DurationText.format(maxRuntime) + "; remove it, or raise max-runtime");
        }
        if (own != null) {
            return own;
        }
        if (maxRuntime == null) {
            // Jobs on clusters have no time limit and may take long.
            return api == CompatApi.CLUSTERS ? HttpSpec.LONGEST_TIMEOUT : HttpSpec.DEFAULT_TIMEOUT;
        }
        return maxRuntime.compareTo(HttpSpec.LONGEST_TIMEOUT) > 0 ? HttpSpec.LONGEST_TIMEOUT : maxRuntime;
    }

    private boolean remote() {
        String worker = reading.text(at + "run.worker");
        if (worker != null && !worker.equals("remote")) {
            reading.mistake(at + "run.worker", "'" + worker + "' is unknown; write remote");
        }
        return worker != null;
    }

    private Set<Integer> exitCodes() {
        Set<Integer> codes = new HashSet<>();
        for (String code : reading.words(at + "retry.permanent-exit-codes")) {
            if (code.matches("\\d{1,3}") && Integer.parseInt(code) <= HIGHEST_EXIT_CODE) {
                codes.add(Integer.valueOf(code));
            } else {
                reading.mistake(
                        at + "retry.permanent-exit-codes",
                        "has '" + code + "'; exit codes are from 0 to " + HIGHEST_EXIT_CODE);
            }
        }
        return codes;
    }
}

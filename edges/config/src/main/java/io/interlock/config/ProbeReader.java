package io.interlock.config;

import io.interlock.engine.command.InheritedEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the probe of a job. */
final class ProbeReader {

    /** A longer check counts as failed. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Reading reading;
    private final String at;

    /** A reader below {@code at}, as in {@code jobs.export.}. */
    ProbeReader(Reading reading, String at) {
        this.reading = reading;
        this.at = at;
    }

    Optional<Probe> read(Work work) {
        List<String> command = reading.words(at + "probe.command");
        String url = reading.text(at + "probe.url");
        Duration every = reading.duration(at + "probe.every", Duration.ofSeconds(5));
        if (command.isEmpty() && url == null) {
            if (reading.isSet(at + "probe.every")) {
                reading.mistake(at + "probe", "is empty; set command or url");
            }
            return Optional.empty();
        }
        if (!command.isEmpty() && url != null) {
            reading.mistake(at + "probe", "has both command and url; set one of them");
        }
        if (every.isNegative() || every.isZero()) {
            reading.mistake(at + "probe.every", "must be above 0s");
        }
        if (work instanceof Work.Remote || work instanceof Work.Nodes) {
            reading.mistake(
                    at + "probe",
                    "is only for work of this process; this job has "
                            + (work instanceof Work.Remote
                                    ? "worker: remote, whose workers must check themselves"
                                    : "nodes, each of which may have a probe"));
        }
        return Optional.of(new Probe(
                url == null
                        ? question(command, work)
                        : new Work.Http(WorkReader.address(reading, at + "probe.url", url), PATIENCE, null, null),
                every));
    }

    // In the directory and with the variables of the work, if that is a command as well.
    private static Work.Command question(List<String> command, Work work) {
        return work instanceof Work.Command done
                ? new Work.Command(command, done.directory(), done.inherited(), Set.of())
                : new Work.Command(command, null, InheritedEnvironment.ALL, Set.of());
    }
}

package io.interlock.config;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intakes of a configuration. Close them before the engine: they return work that is not started yet.
 *
 * <p>Used by one thread.
 */
public final class Intakes implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Intakes.class);
    private static final String SQS = "sqs";

    private final InterlockSettings settings;
    private final List<Intake> wanted;
    private final Deque<AutoCloseable> running = new ArrayDeque<>();

    private Intakes(InterlockSettings settings, List<Intake> wanted) {
        this.settings = settings;
        this.wanted = wanted;
    }

    /**
     * Finds the configured intakes.
     *
     * @throws ConfigurationException if one is not on the class path
     */
    public static Intakes of(Configuration configuration) {
        InterlockSettings settings = configuration.settings();
        List<Intake> wanted = new ArrayList<>();
        if (!settings.sqs().isEmpty()) {
            ServiceLoader.load(Intake.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(intake -> intake.property().equals(SQS))
                    .findFirst()
                    .ifPresentOrElse(wanted::add, () -> refuse(configuration));
        }
        return new Intakes(settings, wanted);
    }

    /** Starts all intakes. */
    public void start(Intake.Context house) {
        wanted.forEach(intake -> running.push(intake.start(settings, house)));
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            try {
                running.pop().close();
            } catch (Exception failure) {
                log.warn("could not close an intake: {}", failure.toString());
            }
        }
    }

    private static void refuse(Configuration configuration) {
        Reading reading = configuration.reading();
        reading.mistake(
                "sqs[0].queue",
                "needs the SQS intake, which is not on the class path; build it with 'mvn -q -pl edges/sqs -am package"
                        + " -Dmaven.test.skip=true', then set INTERLOCK_CLASSPATH='edges/sqs/target/intake/*'");
        reading.requireNoMistakes();
    }
}

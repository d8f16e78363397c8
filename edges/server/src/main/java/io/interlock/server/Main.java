package io.interlock.server;

import io.interlock.server.launch.Launch;
import io.interlock.time.Environment;
import java.util.List;

/** Starts {@code server} or {@code demo} from the command line. */
public final class Main {

    private static final String LOGBACK = "logback.configurationFile";
    private static final String LEVEL = "INTERLOCK_LOG_LEVEL";

    private Main() {}

    /** Runs until it is told to stop, and ends the process with an exit code. */
    public static void main(String[] arguments) {
        if (System.getProperty(LOGBACK) == null) {
            System.setProperty(LOGBACK, "io/interlock/server/logback.xml");
        }
        // What the demo says about itself must not scroll away.
        if (List.of(arguments).contains("demo") && System.getenv(LEVEL) == null) {
            System.setProperty(LEVEL, "ERROR");
        }
        System.exit(new Launch(System.out, System.err, System.getenv(), Environment.system()).run(List.of(arguments)));
    }
}

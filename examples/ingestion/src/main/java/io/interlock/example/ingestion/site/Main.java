package io.interlock.example.ingestion.site;

import io.interlock.time.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The site as a process: {@code PORT [MILLISECONDS-PER-PAGE [FAIL-ONE-OF]]}. */
public final class Main {

    private Main() {}

    /** Serves until it is ended. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SourceSite site = SourceSite.start(number(arguments, 0), Environment.system());
        site.moods().everywhere(Duration.ofMillis(number(arguments, 1)), number(arguments, 2));
        System.out.println("Source site: " + site.address() + "/events/486677");
        new CountDownLatch(1).await();
    }

    private static int number(String[] arguments, int index) {
        return index < arguments.length ? Integer.parseInt(arguments[index]) : 0;
    }
}

package io.interlock.example.spring;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The application of this module. {@code -Dinterlock.example.seconds=60} makes it longer. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TwoInstancesTest {

    @Test
    void neverBothAndNeverNoneForLongerThanALease(@TempDir Path folder) throws Exception {
        List<String> application = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                ReportApplication.class.getName());
        try (TwoInstances two = new TwoInstances()) {
            System.out.println(two.neverBothAndNeverNoneForLongerThanALease(
                    folder, application, Long.getLong("interlock.example.seconds", 3)));
        }
    }
}

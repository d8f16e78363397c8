package io.interlock.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written to the run file is heard, once, however it is written. */
class RunFileTest {

    @TempDir
    Path folder;

    @Test
    void whatIsAppendedAndWhatIsWrittenAnewIsHeard() throws Exception {
        SupervisionTest.HeldLease held = new SupervisionTest.HeldLease(asked -> Duration.ofSeconds(20));
        try (RunFile file = RunFile.create(LockKey.of("k"), held, Map.of("XDG_RUNTIME_DIR", folder.toString()))) {
            assertThat(file.news()).isEmpty();
            append(file.path(), "stage one\nstage t");
            assertThat(file.news()).containsExactly("stage one");
            append(file.path(), "wo\n");
            assertThat(file.news()).containsExactly("stage two");
            // A > in the place of >> is soon typed.
            Files.writeString(file.path(), "stage three\n");
            assertThat(file.news()).containsExactly("stage three");
            append(file.path(), "stage four\n");
            assertThat(file.news()).containsExactly("stage four");
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static void append(Path file, String text) throws Exception {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }
}

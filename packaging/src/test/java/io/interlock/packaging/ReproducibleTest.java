package io.interlock.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two builds make the same files. Only for {@code ./interlock prove}, because it builds everything twice. */
class ReproducibleTest {

    @TempDir
    Path folder;

    @Test
    void twoBuildsAreTheSameByteByByte() throws Exception {
        assumeTrue(Boolean.getBoolean("interlock.prove"), "only for ./interlock prove");
        Path out = folder.resolve("out");
        int code = new ProcessBuilder("./reproducible")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start()
                .waitFor();
        assertThat(code).as(Files.readString(out)).isZero();
        assertThat(Files.readString(out)).containsPattern("\\d\\d files are the same in two builds");
    }
}

package io.interlock.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image, built and tried by {@code packaging/image}. Only for {@code ./interlock prove}, as root, where Debian's tools are. */
class ImageTest {

    @TempDir
    Path folder;

    @Test
    void theImageIsBuiltAndServes() throws Exception {
        assumeTrue(Boolean.getBoolean("interlock.prove"), "only for ./interlock prove");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(
                List.of("/usr/bin/buildah", "/usr/bin/mmdebstrap").stream()
                        .allMatch(tool -> Files.exists(Path.of(tool))),
                "buildah or mmdebstrap is not here");
        Path java = DebTest.jdkWithJpackage();
        assumeTrue(Files.exists(java), "no JDK 25 is here");
        Path out = folder.resolve("out");
        ProcessBuilder image = new ProcessBuilder("./image", System.getProperty("interlock.archive", ""))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        image.environment().put("JAVA_HOME", java.toString());
        int code = image.start().waitFor();
        assertThat(code).as(Files.readString(out)).isZero();
        assertThat(Files.readString(out)).contains("the image works");
    }
}

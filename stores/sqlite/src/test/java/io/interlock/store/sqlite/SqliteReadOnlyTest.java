package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.InvalidSettingException;
import io.interlock.spi.Stores;
import io.interlock.tck.process.LockWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file or directory that may only be read. Root may write everywhere, so the store is opened by another process, from which
 * root's privilege to ignore permissions is taken away.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteReadOnlyTest {

    @TempDir
    Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void makeFile() throws IOException {
        file = folder.toRealPath().resolve("leases.db");
        Stores.open("sqlite:" + file).close();
    }

    @AfterEach
    void allowWriting() throws IOException {
        allow(folder, "rwx------");
    }

    @Test
    void aFileThatMayOnlyBeReadIsRefusedAndLeftAlone() throws Exception {
        allow(file, "r--r--r--");
        byte[] before = Files.readAllBytes(file);
        assertThat(saidWhenOpened())
                .contains(InvalidSettingException.class.getSimpleName())
                .contains("store 'sqlite:" + file + "' cannot be written by this user; allow writing to " + file);
        assertThat(file).hasBinaryContent(before);
        assertThat(files()).containsExactlyInAnyOrder(file, TurnFile.of(file));
    }

    @Test
    void aDirectoryThatMayOnlyBeReadIsRefusedAndLeftAlone() throws Exception {
        allow(folder, "r-xr-xr-x");
        assertThat(saidWhenOpened())
                .contains(InvalidSettingException.class.getSimpleName())
                .contains("allow writing to " + file.getParent() + ": the log is there");
        assertThat(files()).containsExactlyInAnyOrder(file, TurnFile.of(file));
    }

    private String saidWhenOpened() throws Exception {
        Path said = Files.createTempFile("interlock", ".said");
        List<String> command = new ArrayList<>();
        if (Files.isWritable(file) && Files.isWritable(folder)) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "root's privileges cannot be given up here");
            command.addAll(List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockWorker.class.getName(),
                "sqlite:" + file));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            process.getOutputStream().close();
            assertThat(process.waitFor()).isEqualTo(1);
            return Files.readString(said);
        } finally {
            Files.delete(said);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(folder.toRealPath())) {
            return found.toList();
        }
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}

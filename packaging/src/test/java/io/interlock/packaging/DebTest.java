package io.interlock.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.packaging.Installed.Ended;
import io.interlock.packaging.Installed.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The package of Debian: made, installed, used and removed. Only for {@code ./interlock prove}, because making it takes a minute or more; it
 * needs root, and a JDK with jpackage.
 */
class DebTest {

    private static final Path PROGRAM = Path.of("/usr/bin/interlock");

    @TempDir
    Path folder;

    @Test
    void itInstallsRunsAndLeavesNothingBehind() throws Exception {
        assumeTrue(Boolean.getBoolean("interlock.prove"), "only for ./interlock prove");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path java = jdkWithJpackage();
        assumeTrue(Files.exists(java), "no JDK with jpackage is here");
        assumeTrue(Files.exists(Path.of("/usr/bin/fakeroot")), "fakeroot is not here");
        assumeTrue(!Files.exists(PROGRAM) && !Files.exists(Path.of("/opt/interlock")), "Interlock is installed here");
        ProcessBuilder make =
                new ProcessBuilder("./deb", System.getProperty("interlock.archive", ""), folder.toString());
        make.environment().put("JAVA_HOME", java.toString());
        make.environment().put("DPKG_DEB_COMPRESSOR_TYPE", "none");
        succeed(make);
        try (Stream<Path> made = Files.list(folder)) {
            Path deb = made.filter(file -> file.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow();
            succeed(new ProcessBuilder("dpkg", "-i", deb.toString()));
        }
        try {
            use();
        } finally {
            succeed(new ProcessBuilder("dpkg", "--purge", "interlock"));
        }
        assertThat(List.of(
                        PROGRAM,
                        Path.of("/opt/interlock"),
                        Path.of("/etc/interlock"),
                        Path.of("/etc/systemd/system/interlock.service")))
                .allSatisfy(path -> assertThat(Files.exists(path)).isFalse());
    }

    private void use() throws Exception {
        assertThat(Path.of("/etc/interlock/interlock.yaml")).exists();
        assertThat(Path.of("/etc/systemd/system/interlock.service")).exists();
        // No Java is on its PATH and none is named: it brings its own.
        Installed interlock = new Installed(PROGRAM, Files.createTempDirectory(folder, "user"))
                .with("INTERLOCK_STORE", "sqlite:" + folder.resolve("deb.db"));
        assertThat(interlock.run("version").text()).contains(System.getProperty("interlock.version"));
        assertThat(interlock.run("run", "-n", "ledger", "--", "sh", "-c", "exit 7"))
                .extracting(Ended::code)
                .isEqualTo(7);
        assertThat(interlock.run("runs", "ls").text()).contains("ledger", "FAILED");
        try (Server server = interlock.server()) {
            assertThat(server.url()).startsWith("http://127.0.0.1:");
            assertThat(server.stop()).isZero();
        }
    }

    /** The JDK of this test, or the newest one beside it. */
    static Path jdkWithJpackage() throws IOException {
        Path own = Path.of(System.getProperty("java.home"));
        try (Stream<Path> others = Files.list(own.toAbsolutePath().getParent())) {
            return others.filter(jdk ->
                            Files.isExecutable(jdk.resolve("bin/jpackage")) && Files.isDirectory(jdk.resolve("lib")))
                    .max(Comparator.comparing(DebTest::version))
                    .orElse(own.resolve("none"));
        }
    }

    static Runtime.Version version(Path jdk) {
        try (Stream<String> lines = Files.lines(jdk.resolve("release"))) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> Runtime.Version.parse(line.replaceAll(".*\"(.*)\"", "$1")))
                    .findFirst()
                    .orElseGet(() -> Runtime.Version.parse("1"));
        } catch (IOException unknown) {
            return Runtime.Version.parse("1");
        }
    }

    private void succeed(ProcessBuilder command) throws Exception {
        Path out = Files.createTempFile(folder, "said", "");
        int code = command.redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start()
                .waitFor();
        assertThat(code).as(() -> command.command() + " " + read(out)).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}

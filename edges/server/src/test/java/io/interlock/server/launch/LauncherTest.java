package io.interlock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./interlock} in a tree of its own, with programs in the place of Maven and Java that say how they were called. */
class LauncherTest {

    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path folder;

    private Path tree = Path.of("");
    private Path tools = Path.of("");

    private record Said(int exitCode, String text) {}

    @BeforeEach
    void plant() throws IOException {
        tree = Files.createDirectories(folder.resolve("a tree"));
        tools = Files.createDirectories(folder.resolve("tools"));
        Files.copy(root().resolve("interlock"), tree.resolve("interlock"));
        Files.copy(
                root().resolve("packaging/launch.sh"),
                Files.createDirectories(tree.resolve("packaging")).resolve("launch.sh"));
        for (String module : List.of("core", "locks", "engine", "stores/memory", "edges/server")) {
            old(module + "/pom.xml");
            old(module + "/src/main/java/A.java");
            old(module + "/src/test/java/ATest.java");
        }
        old("pom.xml");
        old("docs/page.md");
        tool("mvn", """
                echo "$@" >> '%s/mvn.log'
                [ -e '%s/fail' ] && { echo '[ERROR] /x/A.java:[1,1] wrong'; exit 1; }
                case "$*" in *edges/cli*) made=edges/cli/target/launch ;; *) made=edges/server/target/launch ;; esac
                mkdir -p $made/lib
                sleep 0.5
                touch $made/lib/interlock-core-1.jar $made/lib/other-2.jar $made/interlock-server-1.jar $made/interlock-cli-1.jar
                """.formatted(folder, folder));
        tool("java", """
                [ "$1" = -version ] && { echo 'openjdk version "'${FAKE_VERSION:-17.0.1}'" 2021-10-19' >&2; exit; }
                case "$1" in -Xshare:dump)
                    [ -e 'NO_ARCHIVE' ] && exit 1
                    for each in "$@"; do case $each in -XX:SharedArchiveFile=*) : >"${each#*=}" ;; esac; done ;;
                esac
                printf '%s ' "$@"
                echo "with ${LC_ALL-no} locale, before ${INTERLOCK_LC_ALL-none}."
                """.replace("NO_ARCHIVE", folder.resolve("no-archive").toString()));
        tool("javac", "");
    }

    @Test
    void itBuildsOnceAndThenRunsWhatItBuilt() {
        Said first = run("server", "--port", "1");
        assertThat(first.exitCode()).isZero();
        assertThat(first.text())
                .contains("interlock: building edges/server", "io.interlock.server.Main server --port 1");
        assertThat(builds())
                .singleElement()
                .satisfies(build ->
                        assertThat(build).contains("-pl edges/server -am package", "-Dbuild.folder=target/launch"));
        assertThat(run("server").text()).doesNotContain("building");
        assertThat(builds()).hasSize(1);
    }

    @Test
    void proveRunsAllTests() throws IOException {
        Path tests = Files.writeString(tree.resolve("test"), "#!/bin/sh\necho \"tests $*\"\n");
        assertThat(tests.toFile().setExecutable(true)).isTrue();
        assertThat(run("prove", "-pl", "core").text()).contains("tests -Dinterlock.prove=true -pl core");
        assertThat(builds()).isEmpty();
    }

    @Test
    void onlyMainCodeAndBuildFilesAreReasonsToBuildAgain() throws IOException {
        run("server");
        touch("edges/server/src/test/java/ATest.java");
        touch("docs/page.md");
        touch("edges/server/target/launch/lib/other-2.jar");
        run("server");
        assertThat(builds()).hasSize(1);
        touch("engine/src/main/java/A.java");
        run("server");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void aBuildFileOrAFileThatIsGoneIsAReasonToo() throws IOException {
        run("server");
        touch("core/pom.xml");
        run("server");
        assertThat(builds()).hasSize(2);
        Files.delete(tree.resolve("core/src/main/java/A.java"));
        Files.setLastModifiedTime(tree.resolve("core/src/main/java"), later());
        run("server");
        assertThat(builds()).hasSize(3);
    }

    @Test
    void aProcessKeepsItsJarsWhileOthersBuildAnew() throws IOException {
        String before = classPath(run("server").text());
        touch("core/src/main/java/A.java");
        // Folders are named by the second.
        Files.move(tree.resolve(before), tree.resolve(before).resolveSibling("dist-1"));
        String after = classPath(run("server").text());
        assertThat(tree.resolve("edges/server/target/launch/dist-1/interlock-core-1.jar"))
                .exists();
        assertThat(tree.resolve(after).resolve("interlock-server-1.jar")).exists();
    }

    @Test
    void itWorksFromAnywhereAndThroughLinks() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("one"), Path.of("../a tree/interlock"));
        Files.createSymbolicLink(bin.resolve("two"), bin.resolve("one"));
        Said said = run(List.of(bin.resolve("two").toString(), "demo"), folder, "17.0.1");
        assertThat(said.text()).contains("io.interlock.server.Main demo", "-XX:TieredStopAtLevel=1");
        assertThat(said.exitCode()).isZero();
    }

    @Test
    void twoThatStartAtOnceBuildOnce() throws IOException {
        List<Process> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(builder(List.of(tree.resolve("interlock").toString(), "server"), tree, "17.0.1")
                    .redirectOutput(folder.resolve("both" + i).toFile())
                    .start());
        }
        for (Process one : both) {
            assertThat(one.onExit().join().exitValue()).isZero();
        }
        assertThat(builds()).hasSize(1);
    }

    @Test
    void aBuildThatFailsIsToldAndTriedAgain() throws IOException {
        Files.createFile(folder.resolve("fail"));
        Said failed = run("server");
        assertThat(failed.exitCode()).isEqualTo(125);
        assertThat(failed.text()).contains("A.java:[1,1] wrong", "the build failed", "build.log");
        Files.delete(folder.resolve("fail"));
        assertThat(run("server").exitCode()).isZero();
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Said old = run(List.of(tree.resolve("interlock").toString(), "server"), tree, "11.0.2");
        assertThat(old.exitCode()).isEqualTo(125);
        assertThat(old.text()).contains("found Java 11", "version 17 or later is needed");
        Said unknown = run("runs", "ls");
        assertThat(unknown.exitCode()).isEqualTo(64);
        assertThat(unknown.text()).contains("the command 'runs' is not there yet");
        assertThat(builds()).isEmpty();
    }

    @Test
    void theCommandLineStartsFromAnArchiveOfClassesIfThereCanBeOne() throws IOException {
        old("edges/cli/pom.xml");
        Said said = run("runs", "ls");
        assertThat(said.exitCode()).isZero();
        assertThat(said.text())
                .contains("/classes.jsa -Xlog:disable", "io.interlock.cli.Main runs ls")
                .contains("-XX:+DisplayVMOutputToStderr")
                // The output of making the archive is not shown.
                .doesNotContain("-Xshare:dump", "run -n trial");
        Files.createFile(folder.resolve("no-archive"));
        touch("core/pom.xml");
        Said without = run("runs", "ls");
        assertThat(without.exitCode()).isZero();
        assertThat(without.text()).contains("io.interlock.cli.Main runs ls").doesNotContain("classes.jsa");
    }

    @Test
    void onlyWorkersNeedWhatTheJvmKnowsOfLanguages() throws IOException {
        old("edges/cli/pom.xml");
        assertThat(run("runs", "ls").text()).contains("-Djava.locale.providers=HOST", "io.interlock.cli.Main runs ls");
        assertThat(run("worker").text())
                .contains("io.interlock.cli.Main worker")
                .doesNotContain("locale.providers");
        assertThat(run("server").text()).contains("io.interlock.server.Main").doesNotContain("locale.providers");
    }

    @Test
    void whereThereIsNoLocaleJavaGetsOneThatKnowsMoreThanAscii() {
        assertThat(locale("C", null)).contains("with C.UTF-8 locale, before C.");
        assertThat(locale("", null)).contains("with C.UTF-8 locale, before .");
        assertThat(locale(null, "POSIX")).contains("with C.UTF-8 locale, before .");
        assertThat(locale(null, "xx_XX.UTF-8")).as("not installed").contains("with C.UTF-8 locale, before .");
        assertThat(locale(null, "C.UTF-8")).contains("with no locale, before none.");
    }

    private String locale(@Nullable String all, @Nullable String language) {
        ProcessBuilder builder = builder(List.of(tree.resolve("interlock").toString(), "server"), tree, "17.0.1");
        builder.environment().keySet().removeAll(List.of("LC_ALL", "LC_CTYPE", "LANG"));
        if (all != null) {
            builder.environment().put("LC_ALL", all);
        }
        if (language != null) {
            builder.environment().put("LANG", language);
        }
        return run(builder).text();
    }

    private Said run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(tree.resolve("interlock").toString()));
        command.addAll(List.of(arguments));
        return run(command, tree, "17.0.1");
    }

    private Said run(List<String> command, Path where, String javaVersion) {
        return run(builder(command, where, javaVersion));
    }

    private Said run(ProcessBuilder builder) {
        try {
            Path output = Files.createTempFile(folder, "run", ".out");
            int exitCode = builder.redirectOutput(output.toFile())
                    .start()
                    .onExit()
                    .join()
                    .exitValue();
            return new Said(exitCode, Files.readString(output));
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private ProcessBuilder builder(List<String> command, Path where, String javaVersion) {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true);
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("FAKE_VERSION", javaVersion);
        builder.environment().merge("PATH", tools.toString(), (path, ours) -> ours + ":" + path);
        return builder;
    }

    private List<String> builds() {
        try {
            Path log = folder.resolve("mvn.log");
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private String classPath(String said) {
        String path = said.substring(said.indexOf("-cp ") + 4, said.indexOf("/interlock-server-1.jar io.interlock"));
        return tree.relativize(Path.of(path)).toString();
    }

    private void tool(String name, String script) throws IOException {
        Path file = Files.writeString(tools.resolve(name), "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void old(String name) throws IOException {
        Path file = tree.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
        Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
        Path above = file.getParent();
        while (above != null && !above.equals(tree)) {
            Files.setLastModifiedTime(above, FileTime.from(LONG_AGO));
            above = above.getParent();
        }
    }

    private void touch(String name) throws IOException {
        Files.setLastModifiedTime(tree.resolve(name), later());
    }

    /** Later than anything that has happened so far, however coarse the clock of the file system is. */
    private static FileTime later() {
        return FileTime.from(Instant.now().plus(Duration.ofSeconds(5)));
    }

    private static Path root() {
        Path above = Path.of("").toAbsolutePath();
        while (!Files.exists(above.resolve(".mvn"))) {
            above = above.getParent();
            if (above == null) {
                throw new IllegalStateException("no folder with .mvn above");
            }
        }
        return above;
    }
}

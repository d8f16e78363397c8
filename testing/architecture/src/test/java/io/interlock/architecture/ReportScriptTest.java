package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the counting half of {@code ./test} on made-up reports. */
class ReportScriptTest {

    @TempDir
    Path folder;

    @Test
    void countsAllReportsAndTheContractOfEachStore() throws Exception {
        report("core", "io.interlock.LockKeyTest", 10, 0, 0, 1);
        report("stores/memory", "io.interlock.store.memory.MemoryLeaseStoreTest", 20, 0, 0, 0);
        report("stores/memory", "io.interlock.store.memory.MemoryLeaseStoreTest$Renewal", 3, 0, 0, 1);
        report("stores/memory", "io.interlock.store.memory.SlotTest", 4, 0, 0, 0);
        report("stores/redis", "io.interlock.store.redis.RedisLeaseStoreTest", 21, 0, 0, 0);
        assertThat(run("0"))
                .isEqualTo(new Result(
                        0,
                        List.of(
                                "contract: memory 22 passed 1 skipped, redis 21 passed",
                                "56 passed, 0 failed, 2 skipped")));
    }

    @Test
    void failuresAndErrorsFail() throws Exception {
        report("stores/sqlite", "io.interlock.store.sqlite.SqliteLeaseStoreTest", 9, 1, 2, 1);
        assertThat(run("1"))
                .isEqualTo(new Result(
                        1, List.of("contract: sqlite 5 passed 3 failed 1 skipped", "5 passed, 3 failed, 1 skipped")));
        assertThat(run("0").exitCode()).as("Maven told to ignore failures").isEqualTo(1);
    }

    @Test
    void whatFailedIsNamedWithItsMessageAndOurFrames() throws Exception {
        Path reports = Files.createDirectories(folder.resolve("core/target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-io.interlock.LockKeyTest.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="io.interlock.LockKeyTest" tests="2" errors="0" skipped="0" failures="1">
                  <testcase name="fine" classname="io.interlock.LockKeyTest" time="0.1"/>
                  <testcase name="broken" classname="io.interlock.LockKeyTest" time="0.1">
                    <failure message="expected: &quot;a&quot;&#10; but was: &lt;b&gt;" type="java.lang.AssertionError"><![CDATA[x
                \tat org.assertj.Somewhere.inside(Somewhere.java:1)
                \tat io.interlock.LockKeyTest.broken(LockKeyTest.java:7)
                ]]></failure>
                  </testcase>
                </testsuite>
                """);
        assertThat(run("1").lines())
                .containsExactly(
                        "FAILED io.interlock.LockKeyTest#broken",
                        "    expected: \"a\"  but was: <b>",
                        "    at io.interlock.LockKeyTest.broken(LockKeyTest.java:7)",
                        "contract: no store was tested",
                        "1 passed, 1 failed, 0 skipped");
    }

    @Test
    void whatPassedOnlyWhenItWasRepeatedIsNamed() throws Exception {
        Path reports = Files.createDirectories(folder.resolve("core/target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-io.interlock.LockKeyTest.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="io.interlock.LockKeyTest" tests="1" errors="0" skipped="0" failures="0" flakes="1">
                  <testcase name="unsteady" classname="io.interlock.LockKeyTest" time="0.1">
                    <flakyFailure message="late" type="java.lang.AssertionError"><stackTrace>x</stackTrace></flakyFailure>
                  </testcase>
                </testsuite>
                """);
        assertThat(run("0"))
                .isEqualTo(new Result(
                        0,
                        List.of(
                                "PASSED ONLY WHEN REPEATED io.interlock.LockKeyTest#unsteady",
                                "contract: no store was tested",
                                "1 passed, 0 failed, 0 skipped")));
    }

    @Test
    void aBuildThatFailedOutsideTheTestsFails() throws Exception {
        report("core", "io.interlock.LockKeyTest", 10, 0, 0, 0);
        assertThat(run("1"))
                .isEqualTo(new Result(
                        1,
                        List.of(
                                "contract: no store was tested",
                                "the build failed outside the tests; Maven ended with exit code 1",
                                "10 passed, 0 failed, 0 skipped")));
    }

    @Test
    void whatWasLeftOutIsNamed() throws Exception {
        for (String prove : List.of("true", "false")) {
            Path reports = Files.createDirectories(folder.resolve("core/target/surefire-reports"));
            Files.writeString(reports.resolve("TEST-io.interlock.LockKeyTest.xml"), """
                    <testsuite name="io.interlock.LockKeyTest" tests="1" errors="0" skipped="0" failures="0">
                      <properties>
                        <property name="interlock.prove" value="%s"/>
                      </properties>
                    </testsuite>
                    """.formatted(prove));
            String line = "twins of tests on other stores were left out: ./interlock prove runs them";
            assertThat(run("0").lines().contains(line)).as(prove).isEqualTo(prove.equals("false"));
        }
    }

    @Test
    void nothingRunFails() throws Exception {
        assertThat(run("0"))
                .isEqualTo(new Result(
                        1,
                        List.of("contract: no store was tested", "no test was run", "0 passed, 0 failed, 0 skipped")));
    }

    @Test
    void aReportCutShortFails() throws Exception {
        Path reports = Files.createDirectories(folder.resolve("core/target/surefire-reports"));
        Files.writeString(
                reports.resolve("TEST-io.interlock.CutTest.xml"), "<?xml version=\"1.0\"?>\n<testsuite name=\"x\"");
        assertThat(run("0").lines()).endsWith("0 passed, 1 failed, 0 skipped");
    }

    private void report(String module, String name, int tests, int failures, int errors, int skipped)
            throws IOException {
        Path reports = Files.createDirectories(folder.resolve(module).resolve("target/surefire-reports"));
        Files.writeString(
                reports.resolve("TEST-" + name + ".xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0.2" name="%s" time="1.5"
                    tests="%d" errors="%d" skipped="%d" failures="%d">
                  <testcase name="tests=&quot;99&quot;" classname="x" time="0.1"/>
                </testsuite>
                """.formatted(name, tests, errors, skipped, failures));
    }

    private Result run(String mavenExitCode) throws Exception {
        Process script = new ProcessBuilder("bash", "testing/report.sh", folder.toString(), mavenExitCode)
                .directory(SourceTree.root().toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(script.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Result(script.exitValue(), output.lines().toList());
    }

    record Result(int exitCode, List<String> lines) {}
}

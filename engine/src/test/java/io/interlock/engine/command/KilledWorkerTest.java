package io.interlock.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill -9} of a worker kills its commands too, and whatever they have started. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere there is no guard")
class KilledWorkerTest {

    @TempDir
    Path dir;

    @Test
    void nothingOfACommandSurvivesItsWorker() throws Exception {
        Path pids = dir.resolve("pids");
        String note = "echo $$ >>" + pids + "; while :; do sleep 300; done";
        Process worker = worker("sh -c '" + note + "' & setsid sh -c '" + note + "' & "
                + "setsid sh -c \"sh -c 'echo \\$\\$ >>" + pids + "; exec sleep 300' & exit\" & "
                + "trap '' TERM HUP INT; " + note);
        List<Long> started = Pids.in(pids, 4);
        List<ProcessHandle> guards = worker.children().toList();
        assertThat(guards).as("guard and launcher").hasSize(2);
        assertThat(started).doesNotHaveDuplicates().allMatch(Pids::lives);

        worker.destroyForcibly().waitFor();

        Pids.assertGone(started);
        Pids.assertGone(guards.stream().map(ProcessHandle::pid).toList());
    }

    @Test
    void itDoesNotMatterWhenTheWorkerIsKilled() throws Exception {
        // Each is killed a little later than the one before: while it starts its guard, the launcher, the command, or
        // after.
        List<Path> files =
                IntStream.range(0, 12).mapToObj(i -> dir.resolve("pids" + i)).toList();
        for (Path pids : files) {
            Process worker =
                    worker("echo $$ >>" + pids + "; setsid sleep 300 & echo $! >>" + pids + "; exec sleep 300");
            Stream.iterate(worker, Process::isAlive, same -> same)
                    .takeWhile(alive -> alive.descendants().count() < files.indexOf(pids) / 3)
                    .forEach(alive -> Thread.onSpinWait());
            List<Long> descendants =
                    worker.descendants().map(ProcessHandle::pid).toList();
            worker.destroyForcibly().waitFor();
            Pids.assertGone(descendants);
            Pids.assertGone(Pids.in(pids, 0));
        }
    }

    private static Process worker(String script) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedWorker.class.getName(),
                        script)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }
}

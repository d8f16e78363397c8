package io.interlock.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The processes of a test: scripts write their ids to files, and whether one lives is asked of the kernel. */
public final class Pids {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Pids() {}

    /** Waits until a script has written {@code count} ids to {@code file}. */
    public static List<Long> in(Path file, int count) {
        await().atMost(PATIENCE).until(() -> lines(file).size() >= count);
        return lines(file).stream().map(Long::valueOf).toList();
    }

    /** Waits until none of them lives. */
    public static void assertGone(List<Long> pids) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(pids.stream().filter(Pids::lives)).isEmpty());
    }

    /** Whether it is there and not just waiting for its parent to look. */
    public static boolean lives(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return !stat.substring(stat.lastIndexOf(')')).matches("\\) [ZX] (?s).*");
        } catch (IOException gone) {
            return false;
        }
    }

    /** The guard that was started last. */
    public static ProcessHandle guard() {
        return ProcessHandle.current()
                .children()
                .filter(child ->
                        child.info().arguments().stream().flatMap(Stream::of).anyMatch("interlock-guard"::equals))
                .max(Comparator.comparing(child -> child.info().startInstant().orElseThrow()))
                .orElseThrow();
    }

    private static List<String> lines(Path file) {
        try {
            // A line that is not complete yet does not count.
            String text = Files.exists(file) ? Files.readString(file) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

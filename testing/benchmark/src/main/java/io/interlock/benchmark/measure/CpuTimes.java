package io.interlock.benchmark.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * CPU seconds from {@code /proc}, at one moment. A process that ended counts with its parent, so the sum over a tree whose
 * root lives never falls.
 */
final class CpuTimes {

    private static final Path PROC = Path.of("/proc");
    // USER_HZ is 100 on every Linux that Java runs on.
    private static final double TICKS_PER_SECOND = 100;
    private static final int PARENT = 1;
    private static final int FIRST_TIME = 11;
    // Of the process itself; those that follow are of its children that have ended.
    private static final int LAST_OWN_TIME = 12;
    private static final int LAST_TIME = 14;
    // user nice system idle iowait irq softirq steal
    private static final int[] BUSY = {1, 2, 3, 6, 7, 8};

    private final double busy;
    private final Map<Long, Double> times = new HashMap<>();
    private final Map<Long, List<Long>> children = new HashMap<>();

    private CpuTimes(double busy) {
        this.busy = busy;
    }

    /** Reads all processes; nothing where there is no {@code /proc}. */
    static CpuTimes read() {
        if (!Files.isReadable(PROC.resolve("stat"))) {
            return new CpuTimes(0);
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            CpuTimes now = new CpuTimes(busySeconds(Files.readString(PROC.resolve("stat"))));
            for (Path process : processes) {
                now.add(Long.parseLong(process.getFileName().toString()), process.resolve("stat"));
            }
            return now;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** CPU seconds of everything on this machine, and those that its host gave to others. */
    double busy() {
        return busy;
    }

    /** CPU seconds of these processes and all that descend from them. */
    double ofTrees(Collection<Long> roots) {
        return trees(roots).stream()
                .mapToDouble(process -> times.getOrDefault(process, 0.0))
                .sum();
    }

    /** CPU seconds of the compiler threads of the JVMs among these processes and all that descend from them. */
    double ofCompilers(Collection<Long> roots) {
        return trees(roots).stream().mapToDouble(CpuTimes::compilers).sum();
    }

    private Set<Long> trees(Collection<Long> roots) {
        Set<Long> seen = new HashSet<>();
        Deque<Long> open = new ArrayDeque<>(roots);
        while (!open.isEmpty()) {
            long process = open.pop();
            if (seen.add(process)) {
                open.addAll(children.getOrDefault(process, List.of()));
            }
        }
        return seen;
    }

    private static double compilers(long process) {
        double sum = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(PROC.resolve(Long.toString(process)).resolve("task"))) {
            for (Path thread : threads) {
                String stat = text(thread.resolve("stat"));
                if (stat.contains("(C1 Compiler") || stat.contains("(C2 Compiler")) {
                    sum += seconds(fields(stat), LAST_OWN_TIME);
                }
            }
        } catch (IOException | DirectoryIteratorException gone) {
            return sum;
        }
        return sum;
    }

    static double busySeconds(String stat) {
        String[] fields = stat.lines().findFirst().orElse("").split("\\s+", -1);
        double ticks = 0;
        for (int field : BUSY) {
            ticks += field < fields.length ? Double.parseDouble(fields[field]) : 0;
        }
        return ticks / TICKS_PER_SECOND;
    }

    private void add(long process, Path stat) {
        try {
            String[] fields = fields(text(stat));
            times.put(process, seconds(fields, LAST_TIME));
            children.computeIfAbsent(Long.parseLong(fields[PARENT]), any -> new ArrayList<>())
                    .add(process);
        } catch (IOException gone) {
            // A process that has ended counts with its parent.
        }
    }

    private static String text(Path stat) throws IOException {
        return new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
    }

    private static String[] fields(String stat) {
        // The name of the program is in brackets and may contain anything.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    private static double seconds(String[] fields, int lastTime) {
        double ticks = 0;
        for (int field = FIRST_TIME; field <= lastTime; field++) {
            ticks += Double.parseDouble(fields[field]);
        }
        return ticks / TICKS_PER_SECOND;
    }
}

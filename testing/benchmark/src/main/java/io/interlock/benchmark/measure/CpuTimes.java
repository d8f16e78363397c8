package io.interlock.benchmark.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
        Set<Long> seen = new HashSet<>();
        Deque<Long> open = new ArrayDeque<>(roots);
        double sum = 0;
        while (!open.isEmpty()) {
            long process = open.pop();
            if (seen.add(process)) {
                sum += times.getOrDefault(process, 0.0);
                open.addAll(children.getOrDefault(process, List.of()));
            }
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
        String text;
        try {
            text = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return;
        }
        // The name of the program is in brackets and may contain anything.
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        double ticks = 0;
        for (int field = FIRST_TIME; field <= LAST_TIME; field++) {
            ticks += Double.parseDouble(fields[field]);
        }
        times.put(process, ticks / TICKS_PER_SECOND);
        children.computeIfAbsent(Long.parseLong(fields[PARENT]), any -> new ArrayList<>())
                .add(process);
    }
}

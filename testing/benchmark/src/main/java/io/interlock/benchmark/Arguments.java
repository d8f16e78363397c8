package io.interlock.benchmark;

import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was typed: {@code [--quick] [--list] [--svg DIR] [NAME...]}.
 *
 * @param pace how long and how often to measure
 * @param list whether only to list the workloads
 * @param charts where charts go, or {@code null} for nowhere
 * @param workloads what to measure, in the order of the catalog
 */
record Arguments(Pace pace, boolean list, @Nullable Path charts, List<Workload> workloads) {

    /**
     * Reads the words.
     *
     * @throws IllegalArgumentException if they make no sense
     */
    static Arguments parse(List<String> words, List<Workload> all) {
        Pace pace = Pace.FULL;
        boolean list = false;
        Path charts = null;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            switch (word) {
                case "--quick" -> pace = Pace.QUICK;
                case "--list" -> list = true;
                case "--svg" -> {
                    i++;
                    if (i == words.size()) {
                        throw new IllegalArgumentException("--svg needs a folder");
                    }
                    charts = Path.of(words.get(i));
                }
                default -> {
                    if (word.startsWith("-")) {
                        throw new IllegalArgumentException(
                                word + " is unknown; known are --quick, --list, --svg DIR and names of workloads");
                    }
                    names.add(word);
                }
            }
        }
        return new Arguments(pace, list, charts, chosen(names, all));
    }

    /** Those named; a name also stands for all that begin with it and a hyphen. None named: all that need not be. */
    private static List<Workload> chosen(List<String> names, List<Workload> all) {
        if (names.isEmpty()) {
            return all.stream().filter(workload -> !workload.onlyIfNamed()).toList();
        }
        Set<Workload> chosen = new LinkedHashSet<>();
        for (String name : names) {
            List<Workload> fitting = all.stream()
                    .filter(workload ->
                            workload.name().equals(name) || workload.name().startsWith(name + "-"))
                    .toList();
            if (fitting.isEmpty()) {
                throw new IllegalArgumentException("no workload is called " + name + "; --list lists them");
            }
            chosen.addAll(fitting);
        }
        return all.stream().filter(chosen::contains).toList();
    }
}

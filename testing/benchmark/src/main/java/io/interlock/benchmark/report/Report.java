package io.interlock.benchmark.report;

import io.interlock.benchmark.measure.Comparison;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Everything that was measured: printed as it comes, and written to files at the end. Used by one thread. */
public final class Report {

    private final PrintStream out;
    private final List<String> head;
    private final List<Comparison> comparisons = new ArrayList<>();
    private final List<BarResult> verdicts = new ArrayList<>();
    private final StringBuilder markdown = new StringBuilder();

    /**
     * An empty one.
     *
     * @param out where it is printed
     * @param head what is said first: machine, versions, settings
     */
    public Report(PrintStream out, List<String> head) {
        this.out = out;
        this.head = List.copyOf(head);
        print("# Benchmark\n");
        head.forEach(line -> print("- " + line));
    }

    /** Adds what a workload brought: its tables and what they mean for its bars. */
    public void add(List<Comparison> measured, List<Bar> bars, List<String> remarks) {
        comparisons.addAll(measured);
        measured.forEach(comparison -> print("\n" + MarkdownTable.of(comparison)));
        remarks.forEach(remark -> print(remark + "\n"));
        List<BarResult> own = bars.stream().map(bar -> bar.judge(measured)).toList();
        if (!own.isEmpty()) {
            print("```");
            own.forEach(verdict -> print(verdict.line()));
            print("```");
        }
        verdicts.addAll(own);
    }

    /** Prints all lines once more, and how many bars were reached. */
    public void finish() {
        long passed = verdicts.stream().filter(BarResult::passes).count();
        print("\n## All bars\n\n```");
        verdicts.forEach(verdict -> print(verdict.line()));
        print("```\n\n" + passed + " of " + verdicts.size() + " bars reached");
    }

    /** Whether every bar was reached. */
    public boolean passes() {
        return verdicts.stream().allMatch(BarResult::passes);
    }

    /** Writes {@code bench.md} and {@code bench.json} to a folder. */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("bench.md"), markdown);
        Files.writeString(folder.resolve("bench.json"), JsonReport.of(head, comparisons, verdicts));
        out.println("written: " + folder.resolve("bench.md") + " and bench.json");
    }

    /** Writes charts to a folder. */
    public void draw(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (Chart chart : Charts.of(comparisons)) {
            Files.writeString(folder.resolve(chart.name() + ".svg"), chart.svg());
        }
        out.println("charts: " + folder);
    }

    private void print(String line) {
        out.println(line);
        out.flush();
        markdown.append(line).append("\n");
    }
}

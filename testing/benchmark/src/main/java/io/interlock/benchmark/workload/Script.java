package io.interlock.benchmark.workload;

import io.interlock.benchmark.report.Bar;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A script of this module that measures by itself, and prints Markdown. */
final class Script implements Workload {

    private final String name;
    private final String title;
    private final String full;
    private final String quick;

    /** The script {@code name}, given {@code full} as its argument, or {@code quick}. */
    Script(String name, String title, String full, String quick) {
        this.name = name;
        this.title = title;
        this.full = full;
        this.quick = quick;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public List<Bar> bars() {
        return List.of();
    }

    @Override
    public boolean onlyIfNamed() {
        return true;
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(bench.home().resolve("testing/benchmark/" + name).toString());
        command.add(bench.pace().quick() ? quick : full);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            process.getOutputStream().close();
            results.remark("### " + name + ": " + title + "\n");
            results.remark(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            int code = process.waitFor();
            if (code != 0) {
                results.remark(name + " ended with " + code);
            }
        } finally {
            process.destroy();
        }
    }
}

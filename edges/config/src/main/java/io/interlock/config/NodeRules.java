package io.interlock.config;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the nodes of a workflow: each is an existing job, named once, and has no nodes itself. */
final class NodeRules {

    private final Reading reading;

    NodeRules(Reading reading) {
        this.reading = reading;
    }

    void check(Map<String, JobSettings> jobs) {
        jobs.forEach((name, job) -> {
            if (job.work() instanceof Work.Nodes nodes) {
                String at = Configuration.property(name, "run.nodes");
                if (job.api() != CompatApi.WORKFLOWS) {
                    reading.mistake(
                            at,
                            "is only for jobs with api: workflows; this one has api: "
                                    + job.api().word());
                }
                Set<String> seen = new HashSet<>();
                for (String node : nodes.jobs()) {
                    if (!seen.add(node)) {
                        reading.mistake(at, "has '" + node + "' twice; name each node once");
                    } else {
                        requireNode(at, node, jobs.get(node));
                    }
                }
            }
        });
    }

    private void requireNode(String at, String node, @Nullable JobSettings job) {
        if (job == null) {
            reading.mistake(at, "has '" + node + "', which is not a job; define it below jobs");
        } else if (job.work() instanceof Work.Nodes) {
            reading.mistake(at, "has '" + node + "', which has nodes itself; list its nodes here instead");
        }
    }
}

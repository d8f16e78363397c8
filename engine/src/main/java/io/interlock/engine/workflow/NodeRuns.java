package io.interlock.engine.workflow;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler.NodeHandler;
import io.interlock.engine.RunRequest;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.http.JsonObject;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * The work of a workflow that has nodes. They run beside each other, each as a run of the job of its name, with the parameters of the
 * execution, under a key of its own: {@code workflow/{id}/node/{node}}. The execution ends when all have; it has failed if one has. A
 * further attempt does again only what has not succeeded, and waits for what still runs. An attempt stops no node when it ends: another
 * one may follow, and need them. Once the store says that the execution is over, every engine that has it among its jobs sees to it that
 * its nodes are stopped.
 *
 * <p>Safe for use by many threads.
 *
 * @param nodes names of jobs
 */
public record NodeRuns(List<String> nodes, Callable<RunEngine> engine) implements NodeHandler {

    private static final String EXECUTION = "execution";
    private static final String NODE = "/node/";
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final int PAGE = 200;

    public NodeRuns {
        nodes = List.copyOf(nodes);
    }

    public static LockKey key(LockKey workflow, String node) {
        return LockKey.of(workflow.tenant(), workflow.name() + NODE + node);
    }

    /** The runs of {@code node} since {@code execution} was asked for. */
    static RunQuery runsOf(Run execution, String node) {
        return RunQuery.ofTenant(execution.key().tenant())
                .of(key(execution.key(), node))
                .since(execution.submittedAt());
    }

    /** The newest run of {@code node} for {@code execution}, if it has come to that. Blocks. */
    public static Optional<Run> find(RunEngine engine, Run execution, String node) {
        return engine.list(runsOf(execution, node).newestFirst().page(0, PAGE)).runs().stream()
                .filter(run ->
                        execution.id().toString().equals(run.spec().labels().get(EXECUTION)))
                .findFirst();
    }

    /** The execution that asked for {@code run}. Empty if none did, or if a node is done again by hand. */
    public static Optional<RunId> askedBy(Run run) {
        String execution = run.spec().labels().get(EXECUTION);
        if (execution == null || !reason(execution).equals(run.spec().origin().reason())) {
            return Optional.empty();
        }
        try {
            return Optional.of(RunId.parse(execution));
        } catch (IllegalArgumentException madeUp) {
            return Optional.empty();
        }
    }

    private static String reason(String execution) {
        return "node of execution " + execution;
    }

    @Override
    public LockKey nodeKey(LockKey execution, String node) {
        return key(execution, node);
    }

    @Override
    public RunQuery nodeRuns(Run execution, String node) {
        return runsOf(execution, node);
    }

    @Override
    public Optional<RunId> executionOf(Run node) {
        return askedBy(node);
    }

    /** It only waits for others, who need the slots. */
    @Override
    public boolean takesSlot() {
        return false;
    }

    @Override
    public String run(RunContext context) throws Exception {
        RunEngine over = engine.call();
        Map<String, RunId> started = new LinkedHashMap<>();
        for (String node : nodes) {
            started.put(node, start(over, context, node));
        }
        return end(over, context, started);
    }

    private static RunId start(RunEngine engine, RunContext context, String node) {
        Run execution = context.run();
        RunRequest request = RunRequest.of(key(execution.key(), node), node)
                .onConflict(ConflictPolicy.QUEUE)
                .parameters(execution.spec().parameters())
                .labels(Map.of(EXECUTION, execution.id().toString()))
                .submitter(execution.spec().origin().submitter())
                .reason(reason(execution.id().toString()));
        String once = execution.id() + "/" + node;
        Optional<Run> before = find(engine, execution, node);
        if (before.isPresent()) {
            Run run = before.get();
            if (run.state() == RunState.SUCCEEDED || !run.state().isTerminal()) {
                return run.id();
            }
            // Other attempts that saw it fail ask in the same words, and there is one further run.
            once += "/" + run.id();
        }
        return engine.submit(request.idempotencyKey(once).fingerprint(once))
                .orElseThrow()
                .id();
    }

    private static String end(RunEngine engine, RunContext context, Map<String, RunId> started)
            throws InterruptedException {
        JsonObject runs = new JsonObject();
        int over = 0;
        List<String> failed = new ArrayList<>();
        for (Map.Entry<String, RunId> node : started.entrySet()) {
            Run run = ended(engine, context, node);
            runs.with(node.getKey(), run.id());
            if (run.state() != RunState.SUCCEEDED) {
                RunError error = run.status().error();
                failed.add(
                        "node " + node.getKey() + " is " + run.state() + (error == null ? "" : ": " + error.message()));
            }
            over++;
            context.progress(over, started.size());
        }
        if (!failed.isEmpty()) {
            throw new TransientFailureException("NODE_FAILED", String.join("; ", failed));
        }
        return new JsonObject().with("nodes", runs).toString();
    }

    private static Run ended(RunEngine engine, RunContext context, Map.Entry<String, RunId> node)
            throws InterruptedException {
        while (true) {
            Optional<Run> run = engine.awaitEnd(node.getValue(), LOOK);
            if (run.isEmpty()) {
                // An execution can go on for longer than history is kept.
                throw new TransientFailureException(
                        "NODE_FAILED",
                        "run " + node.getValue() + " of node " + node.getKey()
                                + " is forgotten, and how it ended is not known");
            }
            if (run.get().state().isTerminal()) {
                return run.get();
            }
            context.checkpoint();
        }
    }
}

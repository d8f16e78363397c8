package io.interlock.engine.internal.sweep;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunHandler.NodeHandler;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.submit.Cancels;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.Summary.RunCount;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.RunViews;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the nodes of executions that are over, once the store says so: an attempt cannot know whether another one follows it,
 * and a worker that has died says nothing. The nodes of executions that end through this engine are stopped at once; all others, and
 * those that were asked for too late to be found then, are found by a sweep.
 */
public final class OrphanNodeSweep {

    private static final Logger log = LoggerFactory.getLogger(OrphanNodeSweep.class);

    private final RunQueries runs;
    private final RunViews views;
    private final EngineThreads threads;
    private final Cancels cancels;
    private final Map<JobName, NodeHandler> workflows = new HashMap<>();
    private final Map<JobName, NodeHandler> nodes = new HashMap<>();

    public OrphanNodeSweep(RunQueries runs, RunViews views, Jobs jobs, EngineThreads threads, Cancels cancels) {
        this.runs = runs;
        this.views = views;
        this.threads = threads;
        this.cancels = cancels;
        for (Job job : jobs.all()) {
            if (job.handler() instanceof NodeHandler work) {
                workflows.put(job.name(), work);
                work.nodes().forEach(node -> nodes.put(new JobName(node), work));
            }
        }
    }

    /** {@code run} was seen as it stands now. If it was an execution, and is over, its nodes are stopped soon. Returns at once. */
    public void over(Run run) {
        NodeHandler work = workflows.get(run.job());
        // One that has succeeded has none left.
        if (work != null && run.state().isTerminal() && run.state() != RunState.SUCCEEDED) {
            work.nodes()
                    .forEach(node -> threads.call(() -> stopAll(work, run, node))
                            .whenComplete((stopped, failure) -> {
                                if (failure != null) {
                                    log.debug(
                                            "node {} of execution {} is left to the janitor", node, run.id(), failure);
                                }
                            }));
        }
    }

    private List<SweepAction> stopAll(NodeHandler work, Run execution, String node) {
        return stop(work, open(work.nodeRuns(execution, node)), id -> Optional.of(execution));
    }

    /** Finds what was not stopped at once. */
    public List<SweepAction> runOnce() {
        List<SweepAction> all = new ArrayList<>();
        if (nodes.isEmpty()) {
            return all;
        }
        Map<RunId, Optional<Run>> seen = new HashMap<>();
        for (RunCount count : views.runCounts()) {
            NodeHandler work = nodes.get(count.job());
            if (work != null && !count.state().isTerminal()) {
                RunQuery query =
                        RunQuery.ofTenant(count.tenant()).doing(count.job()).in(count.state());
                all.addAll(stop(work, open(query), id -> seen.computeIfAbsent(id, runs::findRun)));
            }
        }
        return all;
    }

    private List<Run> open(RunQuery wanted) {
        List<Run> open = new ArrayList<>();
        RunQuery query = wanted;
        List<Run> page;
        do {
            page = runs.listRuns(query).runs();
            for (Run run : page) {
                query = query.page(run.number(), query.limit());
                if (!run.state().isTerminal()) {
                    open.add(run);
                }
            }
        } while (page.size() == query.limit());
        return open;
    }

    private List<SweepAction> stop(NodeHandler work, List<Run> runs, Function<RunId, Optional<Run>> executions) {
        List<SweepAction> done = new ArrayList<>();
        for (Run run : runs) {
            work.executionOf(run)
                    .filter(execution ->
                            run.status().stopRequest().isEmpty() && isLeft(work, run, executions.apply(execution)))
                    .flatMap(execution -> stop(run, execution))
                    .ifPresent(done::add);
        }
        return done;
    }

    private static boolean isLeft(NodeHandler work, Run node, Optional<Run> execution) {
        // Only what is over is ever forgotten. What others call their execution is not taken for ours.
        return execution
                .map(found -> found.state().isTerminal()
                        && work.nodeKey(found.key(), node.job().value()).equals(node.key()))
                .orElse(true);
    }

    private Optional<SweepAction> stop(Run node, RunId execution) {
        String why = "execution " + execution + " is over";
        CancelAnswer answer = cancels.cancel(node.id(), Actor.of(ActiveRuns.ENGINE), why);
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            return Optional.of(
                    new SweepAction(node.key(), node.id(), cancelled.run().state(), why));
        }
        return answer instanceof CancelAnswer.StopRequested asked
                ? Optional.of(new SweepAction(node.key(), node.id(), asked.run().state(), why))
                : Optional.empty();
    }
}

package io.interlock.storm;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunAudit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Checks the state after a storm. */
final class Findings {

    private final RunStore store;
    private final OutsideWitness witness;
    private final Set<RunId> acknowledged;
    private final List<LockKey> keys;
    private final Map<RunState, Integer> states = new EnumMap<>(RunState.class);
    private final List<String> wrong = new ArrayList<>();
    private int overlaps;
    private int outOfOrder;
    private int lost;
    private int notEnded;
    private int mostAttempts;
    private int attempts;

    private Findings(RunStore store, OutsideWitness witness, Set<RunId> acknowledged, int keys) {
        this.store = store;
        this.witness = witness;
        this.acknowledged = acknowledged;
        this.keys = IntStream.range(0, keys).mapToObj(StormJob::key).toList();
    }

    static Findings of(RunStore store, OutsideWitness witness, Set<RunId> acknowledged, int keys) throws IOException {
        Findings findings = new Findings(store, witness, acknowledged, keys);
        findings.judgeRuns();
        for (LockKey key : findings.keys) {
            findings.judgeKey(key);
        }
        findings.wrong.addAll(RunAudit.findings(store, findings.keys, acknowledged));
        return findings;
    }

    /** The findings; empty if there are none. */
    List<String> wrong() {
        return wrong;
    }

    String figures() {
        return """
               runs acknowledged      %,d
               runs in the store      %,d  %s
               not ended              %d
               lost                   %d
               work begun             %,d attempts, at most %d for one run (limit %d)
               overlaps               %d
               out of order           %d
               audit findings         %d
               """.formatted(
                        acknowledged.size(),
                        states.values().stream().mapToInt(Integer::intValue).sum(),
                        states,
                        notEnded,
                        lost,
                        attempts,
                        mostAttempts,
                        StormJob.ATTEMPTS,
                        overlaps,
                        outOfOrder,
                        wrong.size());
    }

    private void judgeRuns() {
        Map<RunId, Run> found = new HashMap<>();
        RunQuery query = RunQuery.ofTenant("acme");
        RunPage page = store.queries().listRuns(query);
        page.runs().forEach(run -> found.put(run.id(), run));
        while (page.cursor().isPresent()) {
            page = store.queries().listRuns(query.page(page.cursor().getAsLong(), RunQuery.MAX_LIMIT));
            page.runs().forEach(run -> found.put(run.id(), run));
        }
        found.values().forEach(run -> states.merge(run.state(), 1, Integer::sum));
        for (Run run : found.values()) {
            mostAttempts = Math.max(mostAttempts, run.status().attempts());
            if (!run.state().isTerminal()) {
                notEnded++;
                wrong.add("I4: not ended: " + run);
            }
            if (!acknowledged.contains(run.id())) {
                wrong.add("I8: not acknowledged: " + run);
            }
        }
        for (RunId id : acknowledged) {
            if (!found.containsKey(id)) {
                lost++;
                wrong.add("I4: acknowledged and lost: " + id);
            }
        }
    }

    private void judgeKey(LockKey key) throws IOException {
        long lastRun = 0;
        long lastToken = 0;
        for (OutsideWitness.Beginning seen : witness.beginnings(key)) {
            attempts++;
            if (!seen.alone()) {
                overlaps++;
                wrong.add("I1: two runs at once under " + key + ": " + seen);
            }
            if (seen.token() <= lastToken) {
                wrong.add("I2: token after " + lastToken + " under " + key + ": " + seen);
            }
            lastToken = seen.token();
            // A retry keeps its number and comes later; first attempts come in the order of their numbers.
            if (seen.attempt() == 1) {
                if (seen.run() < lastRun) {
                    outOfOrder++;
                    wrong.add("I6: run " + seen.run() + " after run " + lastRun + " under " + key);
                }
                lastRun = seen.run();
            }
        }
    }
}

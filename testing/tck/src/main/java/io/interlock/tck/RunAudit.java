package io.interlock.tck;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the data of a store of runs: the audit log of each key, in order, and the final state of each run. Findings
 * name the broken invariant.
 */
public final class RunAudit {

    private final RunStore store;
    private final Set<RunId> forgotten;
    private final List<String> findings = new ArrayList<>();

    private RunAudit(RunStore store, Set<RunId> forgotten) {
        this.store = store;
        this.forgotten = forgotten;
    }

    /** The findings about the runs of these keys; empty if there are none. */
    public static List<String> findings(RunStore store, Collection<LockKey> keys, Collection<RunId> acknowledged) {
        return findings(store, keys, acknowledged, Set.of());
    }

    /** The same, after old history was deleted. */
    static List<String> findings(
            RunStore store, Collection<LockKey> keys, Collection<RunId> acknowledged, Set<RunId> forgotten) {
        RunAudit audit = new RunAudit(store, forgotten);
        keys.forEach(audit::judgeKey);
        acknowledged.stream().filter(run -> !forgotten.contains(run)).forEach(audit::judgeRun);
        return audit.findings;
    }

    private void judgeKey(LockKey key) {
        Map<RunId, RunState> states = new HashMap<>();
        Set<RunId> busy = new HashSet<>();
        String resource = Resource.UNTOUCHED;
        long token = 0;
        long sequence = 0;
        for (AuditRecord record : store.audit().records(key)) {
            if (record.sequence() <= sequence) {
                findings.add("audit: not in order: " + record);
            }
            sequence = record.sequence();
            if (record.action().equals("resource")) {
                if (!record.before().equals(resource)) {
                    findings.add("I9: the resource was " + resource + ": " + record);
                }
                resource = record.after();
            }
            if (record.action().equals("evicted") && record.token() == null) {
                findings.add("I15: taken by force without a token: " + record);
            }
            RunId run = record.run();
            if (run == null || !Set.of("submitted", "run").contains(record.action())) {
                continue;
            }
            judgeMove(states.get(run), record);
            RunState after = RunState.valueOf(record.after());
            states.put(run, after);
            track(busy, run, after);
            if (busy.size() > 1) {
                findings.add("I1: more than one run has " + key + ": " + record);
            }
            if (after == RunState.RUNNING) {
                long drawn = record.token() == null ? 0 : record.token().value();
                if (drawn <= token) {
                    findings.add("I2: token " + drawn + " after " + token + ": " + record);
                }
                token = Math.max(token, drawn);
            }
        }
        states.forEach(this::judgeLast);
        String last = store.queries().resource(key).map(Resource::state).orElse(Resource.UNTOUCHED);
        if (!last.equals(resource)) {
            findings.add("I9: the log says " + resource + ", the resource of " + key + " is " + last);
        }
    }

    private void judgeMove(@Nullable RunState before, AuditRecord record) {
        RunState after = RunState.valueOf(record.after());
        if (before == null) {
            if (!record.action().equals("submitted")) {
                findings.add("I4: never submitted: " + record);
            }
            // A worker's run that gets its key at once has no QUEUED record.
            if (after != RunState.QUEUED && after != RunState.PENDING) {
                findings.add("I5: came in as " + after + ": " + record);
            }
            return;
        }
        if (!before.canBecome(after) || !before.name().equals(record.before())) {
            findings.add("I5: from " + before + " to " + after + ": " + record);
        }
    }

    private void judgeLast(RunId id, RunState last) {
        Run run = store.queries().findRun(id).orElse(null);
        if (run == null ? !(forgotten.contains(id) && last.isTerminal()) : run.state() != last) {
            findings.add("I5: the log says " + last + ", the run is " + run);
        }
    }

    private void judgeRun(RunId id) {
        Run run = store.queries().findRun(id).orElse(null);
        if (run == null) {
            findings.add("I4: acknowledged, and gone: run " + id);
            return;
        }
        List<Attempt> attempts = store.queries().attempts(id);
        int over = run.status().attempts() - (run.state() == RunState.RUNNING ? 1 : 0);
        if (attempts.size() != over) {
            findings.add("I14: " + over + " attempts are over, and " + attempts.size() + " are logged: " + run);
        }
        int most = run.spec().retry().attempts();
        if (run.status().attempts() > most || (run.state() == RunState.DEAD && attempts.size() != most)) {
            findings.add("I14: " + attempts.size() + " of " + most + " attempts: " + run);
        }
    }

    private static void track(Set<RunId> busy, RunId run, RunState after) {
        if (after == RunState.PENDING || after == RunState.RUNNING) {
            busy.add(run);
        } else {
            busy.remove(run);
        }
    }
}

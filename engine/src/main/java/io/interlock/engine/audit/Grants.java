package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.run.AuditRecord;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Follows who has which key, as the records tell it in order. Keeps what it must know: the keys under which a run counts as
 * running, and the last tokens of the keys that were granted last. Belongs to one thread.
 */
final class Grants {

    static final int TOKENS = 50_000;
    private static final String MOVED = "run";

    private final Map<LockKey, Map<RunId, Grant>> running = new HashMap<>();
    private final Map<LockKey, FencingToken> lastTokens = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LockKey, FencingToken> eldest) {
            return size() > TOKENS;
        }
    };

    /** Follows one record more. */
    void follow(long position, AuditRecord record, Consumer<AuditFinding> findings) {
        RunId run = record.run();
        if (run == null || !record.action().equals(MOVED)) {
            return;
        }
        if (record.before().equals(RunState.RUNNING.name())) {
            ended(record.key(), run);
        }
        FencingToken token = record.token();
        if (record.after().equals(RunState.RUNNING.name()) && token != null) {
            began(position, record.key(), new Grant(run, token, record.at()), findings);
        }
    }

    /** Records are missing: runs may have ended in between. Tokens rise all the same. */
    void skipped() {
        running.clear();
    }

    /** Under how many keys a run counts as running. */
    int size() {
        return running.size();
    }

    private void began(long position, LockKey key, Grant grant, Consumer<AuditFinding> findings) {
        Map<RunId, Grant> here = running.computeIfAbsent(key, anew -> new LinkedHashMap<>());
        here.values().forEach(other -> findings.accept(new AuditFinding.Overlap(position, key, other, grant)));
        here.put(grant.run(), grant);
        FencingToken before = lastTokens.put(key, grant.token());
        if (before != null && !grant.token().isAfter(before)) {
            findings.accept(new AuditFinding.TokenNotRising(position, key, before, grant));
        }
    }

    private void ended(LockKey key, RunId run) {
        Map<RunId, Grant> here = running.get(key);
        if (here != null && here.remove(run) != null && here.isEmpty()) {
            running.remove(key);
        }
    }
}

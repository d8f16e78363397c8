package io.interlock.cli.backend;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of one tenant on a store of runs. */
final class EngineLocks implements LockApi {

    private final RunEngine engine;
    private final String tenant;
    private final String actor;

    EngineLocks(RunEngine engine, String tenant, String actor) {
        this.engine = engine;
        this.tenant = tenant;
        this.actor = actor;
    }

    @Override
    public List<Facts> list(String prefix) {
        return engine.queries().keys(new KeyQuery(tenant, prefix, null, MOST)).stream()
                .map(LockFacts::of)
                .toList();
    }

    @Override
    public Facts show(String name) {
        LockKey key = LockKey.of(tenant, name);
        // Of the names that begin with it, the name itself comes first.
        List<KeyView> first = engine.queries().keys(new KeyQuery(tenant, name, null, 1));
        if (!first.isEmpty() && first.get(0).key().equals(key)) {
            return LockFacts.of(first.get(0));
        }
        return engine.queries().pauses(tenant).stream()
                .filter(pause -> pause.covers(key))
                .findFirst()
                .map(pause -> LockFacts.of(new KeyView(key, null, null, 0, null, pause, pause.since())))
                .orElseGet(() -> LockFacts.free(key));
    }

    @Override
    public Facts evict(String name, long token, String reason) {
        LockKey key = LockKey.of(tenant, name);
        return evicted(key, token, engine.evict(key, new FencingToken(token), actor, reason));
    }

    @Override
    public Facts pause(String pattern, String reason, @Nullable Duration time) {
        Pause pause = engine.pause(tenant, pattern, actor, reason, time);
        return LockFacts.pause(pause, true);
    }

    @Override
    public void resume(String pattern, String reason) {
        if (!engine.resume(tenant, pattern, actor, reason)) {
            throw Failure.unknown(
                    "'" + pattern + "' is not paused",
                    "name the key or pattern as it was paused; locks ls shows PAUSED keys");
        }
    }

    /** What came of force. */
    static Facts evicted(LockKey key, long token, EvictAnswer answer) {
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Facts.with("releasedToken", evicted.victim().token().value())
                    .and("opensAt", evicted.opensAt())
                    .done();
        }
        LeaseRecord current = ((EvictAnswer.Mismatch) answer).current();
        if (current == null) {
            throw Failure.unknown(key + " has no lease", "there is nothing to take away");
        }
        throw new Failure(
                ExitCode.STALE,
                key + " has token " + current.token() + " by now, not " + token,
                "look who has it: interlock locks show " + key.name());
    }
}

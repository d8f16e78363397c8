package io.interlock.server.locks;

import io.interlock.Actor;
import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.interlock.server.json.PauseJson;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What operators do to keys: {@code evictLease}, {@code pauseKeys}, {@code resumeKeys}. */
final class ForceOperations {

    private final OperationContext context;

    ForceOperations(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> evict(Call call) {
        LockKey key = call.key("key");
        FencingToken token = new FencingToken(call.body().getLong("token"));
        String reason = call.body().getString("reason");
        return context.blocking().call(call.tenant(), () -> {
            EvictAnswer answer = context.engine().evict(key, token, call.actor(), reason);
            if (answer instanceof EvictAnswer.Mismatch mismatch) {
                throw stale(key, token, mismatch);
            }
            EvictAnswer.Evicted evicted = (EvictAnswer.Evicted) answer;
            JsonObject json = new JsonObject()
                    .put("releasedToken", evicted.victim().token().value())
                    .put("opensAt", JsonTime.of(evicted.opensAt()));
            next(key).ifPresent(run -> json.put("nextRun", run.id().toString()));
            return Reply.ok(json);
        });
    }

    /** Who comes next, if somebody can say: the lease is taken away in any case. */
    private Optional<Run> next(LockKey key) {
        try {
            return context.engine().queue(key).stream().findFirst();
        } catch (StoreUnavailableException away) {
            return Optional.empty();
        }
    }

    private static RuntimeException stale(LockKey key, FencingToken token, EvictAnswer.Mismatch mismatch) {
        String now = mismatch.holder()
                .map(lease -> "has token " + lease.token() + ", not " + token)
                .orElse("is held by nobody");
        return Problem.of(ProblemCode.TOKEN_STALE, key.name() + " " + now + ".")
                .with("key", key.name())
                .with("token", token.value())
                .with(
                        "currentToken",
                        mismatch.holder().map(lease -> lease.token().value()).orElse(null))
                .thrown();
    }

    CompletionStage<Reply> pause(Call call) {
        String pattern = pattern(call);
        Instant until = until(call.body().getString("until"));
        String reason = call.body().getString("reason");
        return context.blocking().call(call.tenant(), () -> {
            Duration time = until == null ? null : timeTo(until);
            Pause pause = context.engine().pause(call.tenant(), pattern, call.actor(), reason, time);
            return Reply.ok(PauseJson.of(pause, true));
        });
    }

    CompletionStage<Reply> resume(Call call) {
        String pattern = pattern(call);
        Actor actor = call.actor();
        String reason = call.body().getString("reason", "no reason given");
        return context.blocking().call(call.tenant(), () -> {
            if (!context.engine().resume(call.tenant(), pattern, actor, reason)) {
                throw Call.notFound("pause of", pattern).thrown();
            }
            return Reply.ok(new JsonObject()
                    .put(pattern.endsWith("*") ? "pattern" : "key", pattern)
                    .put("paused", false)
                    .put("reason", reason));
        });
    }

    /** A key by its name, or the beginning of names and a star: one of the two fields, not both. */
    private static String pattern(Call call) {
        String key = call.body().getString("key");
        String pattern = call.body().getString("pattern");
        if ((key == null) == (pattern == null)) {
            throw Problem.invalid("/key", "name either key or pattern").thrown();
        }
        String named = key == null ? pattern : key;
        if (key != null && key.contains("*")) {
            throw Problem.invalid("/key", "contains a '*'; send it as pattern").thrown();
        }
        if (!named.equals("*")) {
            // What can be no key's name can be no beginning of one either.
            LockKey.of(call.tenant(), named.endsWith("*") ? named.substring(0, named.length() - 1) : named);
        }
        return named;
    }

    private static @Nullable Instant until(@Nullable String text) {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException invalid) {
            throw Problem.invalid("/until", "'" + text + "' is not a time like 2026-11-15T04:00:00Z")
                    .thrown();
        }
    }

    /** By the clock of the store, which says when the pause is over. */
    private Duration timeTo(Instant end) {
        Instant now = context.engine().queries().time();
        if (!end.isAfter(now)) {
            throw Problem.invalid("/until", "'" + JsonTime.of(end) + "' is over; it is " + JsonTime.of(now) + " now")
                    .thrown();
        }
        return Duration.between(now, end);
    }
}

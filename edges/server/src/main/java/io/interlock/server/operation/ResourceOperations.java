package io.interlock.server.operation;

import io.interlock.LockKey;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code getResource}, and {@code setResource} for operators who adopt a resource that is there already, or mend one. */
final class ResourceOperations {

    private final OperationContext context;

    ResourceOperations(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> get(Call call) {
        LockKey key = call.keyParameter("key").orElseThrow();
        return context.blocking()
                .call(
                        call.tenant(),
                        () -> Reply.ok(json(context.engine()
                                .resource(key)
                                .orElseThrow(() ->
                                        Call.notFound("resource", key.name()).thrown()))));
    }

    CompletionStage<Reply> set(Call call) {
        LockKey key = call.key("key");
        return context.blocking().call(call.tenant(), () -> Reply.ok(json(changed(call, key))));
    }

    /** The state that is asked for counts, whatever the version was; only a key that is in use is left alone. */
    private Resource changed(Call call, LockKey key) {
        JsonObject wish = call.body();
        while (true) {
            Optional<Resource> known = context.engine().resource(key);
            ResourceAnswer answer = context.engine()
                    .setFreeResource(
                            key,
                            wish.getString("kind", known.map(Resource::kind).orElse(kind(key))),
                            wish.getString("state"),
                            known.map(Resource::version).orElse(0L),
                            call.actor(),
                            wish.getString("reason"));
            if (answer instanceof ResourceAnswer.Changed done) {
                return done.resource();
            }
            Optional<Resource> now = ((ResourceAnswer.Mismatch) answer).current();
            if (now.map(Resource::version).equals(known.map(Resource::version))) {
                throw inUse(key, now);
            }
        }
    }

    private RuntimeException inUse(LockKey key, Optional<Resource> resource) {
        Optional<KeyView> view =
                context.engine().queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                        .filter(seen -> seen.key().equals(key))
                        .findFirst();
        String why = view.map(KeyView::explanation).orElse("a run that waits for its next attempt moves it");
        return Problem.of(
                        ProblemCode.LOCK_HELD,
                        "The state of " + key.name() + " is set only while its key is free: " + why
                                + ". Wait for its run, cancel it, or evict its lease first.")
                .with("key", key.name())
                .with("state", resource.map(Resource::state).orElse(Resource.UNTOUCHED))
                .thrown();
    }

    /** Of a key like {@code cluster/9}, what stands before the slash. */
    private static String kind(LockKey key) {
        int slash = key.name().indexOf('/');
        return slash <= 0 ? "resource" : key.name().substring(0, slash);
    }

    private static JsonObject json(Resource resource) {
        JsonObject json = new JsonObject()
                .put("key", resource.key().name())
                .put("kind", resource.kind())
                .put("state", resource.state())
                .put("version", resource.version())
                .put("settledState", resource.settledState());
        resource.settledSince().ifPresent(since -> json.put("settledAt", JsonTime.of(since)));
        resource.owningRun().ifPresent(run -> json.put("owner", run.toString()));
        return json;
    }
}

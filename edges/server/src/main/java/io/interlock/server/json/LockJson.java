package io.interlock.server.json;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A lock in JSON: one key, who has it, and who waits. */
public final class LockJson {

    private LockJson() {}

    /** What goes on under one key. */
    public static JsonObject of(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        JsonObject json = new JsonObject()
                .put("key", view.key().name())
                .put("state", view.state().name());
        if (lease != null) {
            json.put("holder", HolderJson.of(lease, run))
                    .put("token", lease.token().value())
                    .put("since", JsonTime.of(lease.grantedAt()))
                    .put("leaseLeft", JsonTime.of(lease.remaining()));
        } else {
            if (run != null) {
                json.put("holder", HolderJson.of(run));
            }
            json.putNull("token");
        }
        if (run != null) {
            json.put("job", run.job().value());
            run.status().currentStage().ifPresent(stage -> json.put("stage", stage.name()));
            if (!run.status().progress().equals(Progress.NONE)) {
                json.put("progress", RunJson.progress(run.status().progress()));
            }
        }
        json.put("waiting", view.waiting());
        if (view.waitingSince() != null) {
            json.put("waitingSince", JsonTime.of(view.waitingSince()));
        }
        if (view.pause() != null) {
            json.put("pause", PauseJson.of(view.pause(), true));
        }
        return json.put("explanation", view.explanation());
    }

    /** A key under which nothing goes on; {@code pause} stops grants, if it is not {@code null}. */
    public static JsonObject idle(LockKey key, @Nullable Pause pause, Instant now) {
        return of(new KeyView(key, null, null, 0, null, pause, now));
    }
}

package io.interlock.server.json;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
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

    /** How a key stands. */
    public enum State {
        /** Somebody has it. */
        HELD,
        /** Its lease has ended without being given back, or its work takes longer than it may. */
        OVERDUE,
        /** Nobody has it, and somebody waits: for a worker, a pause or its turn. */
        WAITING,
        /** Nobody has it, and nobody gets it. */
        PAUSED,
        /** Nobody has it. */
        FREE
    }

    /** How the key of {@code view} stands. */
    public static State state(KeyView view) {
        LeaseRecord lease = view.lease();
        if (lease != null) {
            return lease.isLive() && !tooLong(view) ? State.HELD : State.OVERDUE;
        }
        if (view.pause() != null) {
            return State.PAUSED;
        }
        return view.run() != null || view.waiting() > 0 ? State.WAITING : State.FREE;
    }

    /** What goes on under one key. */
    public static JsonObject of(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        JsonObject json = new JsonObject()
                .put("key", view.key().name())
                .put("state", state(view).name());
        if (lease != null) {
            json.put("holder", HolderJson.of(lease, run))
                    .put("token", lease.token().value())
                    .put("since", JsonTime.of(lease.grantedAt()))
                    .put("leaseLeft", JsonTime.of(lease.remaining()));
        } else if (run != null) {
            json.put("holder", HolderJson.of(run));
        }
        if (run != null) {
            json.put("job", run.job().value());
            HolderJson.stage(run).ifPresent(stage -> json.put("stage", stage.name()));
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
        return json.put("explanation", sentence(view));
    }

    /** A key under which nothing goes on; {@code pause} stops grants, if it is not {@code null}. */
    public static JsonObject idle(LockKey key, @Nullable Pause pause, Instant now) {
        return of(new KeyView(key, null, null, 0, null, pause, now));
    }

    private static boolean tooLong(KeyView view) {
        Run run = view.run();
        return run != null
                && run.spec()
                        .limits()
                        .runtimeLimit()
                        .flatMap(limit -> run.status()
                                .lastTurn()
                                .map(turn -> turn.startedAt().plus(limit)))
                        .filter(end -> end.isBefore(view.observedAt()))
                        .isPresent();
    }

    private static String sentence(KeyView view) {
        String waiting = view.waiting() == 0 ? "" : "; " + view.waiting() + " in line";
        return obstacle(view) + waiting;
    }

    private static String obstacle(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        if (lease != null && lease.isExpired()) {
            return lease.key() + " was held by " + lease.holder().label() + " with token " + lease.token()
                    + "; its lease expired at " + JsonTime.of(lease.expiresAt()) + " without being given back";
        }
        if (lease != null) {
            return new Refusal.Held(lease).explanation()
                    + (tooLong(view) ? "; its work takes longer than its max runtime" : "");
        }
        if (view.pause() != null) {
            return new RunRefusal.Paused(view.key(), view.pause(), view.observedAt()).explanation();
        }
        if (run != null) {
            return new RunRefusal.Reserved(
                            view.key(), run.id(), run.job(), run.status().since(), view.observedAt())
                    .explanation();
        }
        return view.key() + (view.waiting() == 0 ? " is free" : " is held by nobody");
    }
}

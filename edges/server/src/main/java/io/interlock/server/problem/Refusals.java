package io.interlock.server.problem;

import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.json.HolderJson;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which problem a refusal is, with its facts: who is in the way, since when, at what, how many wait. */
public final class Refusals {

    private static final Duration SOON = Duration.ofSeconds(1);

    private Refusals() {}

    /** The problem of {@code refusal}; {@code view} is what else is known about the key, if somebody has looked. */
    public static Problem of(Refusal refusal, @Nullable KeyView view) {
        String explanation = refusal.explanation();
        JsonObject facts = new JsonObject()
                .put("key", refusal.key().name())
                .mergeIn(facts(refusal, view))
                .put("explanation", explanation);
        Problem problem = new Problem(ProblemCode.of(refusal.code()), sentence(refusal, explanation), facts, null);
        if (problem.code() == ProblemCode.WRONG_STATE) {
            return problem;
        }
        Duration wait = refusal.retryAfter();
        return problem.retryAfter(wait.compareTo(SOON) < 0 ? SOON : wait);
    }

    /** The facts of {@code refusal}: {@code holder}, {@code queueLength} and what else belongs to its kind. */
    public static JsonObject facts(Refusal refusal, @Nullable KeyView view) {
        JsonObject facts = new JsonObject();
        Run run = view == null ? null : view.run();
        if (refusal instanceof Refusal.Held held) {
            facts.put("holder", HolderJson.of(held.current(), run));
        } else if (refusal instanceof Refusal.HeldByCaller held) {
            facts.put("holder", HolderJson.of(held.current(), run));
        } else if (refusal instanceof Refusal.Delayed delayed) {
            facts.put("holder", HolderJson.of(delayed.ended(), run)).put("opensAt", JsonTime.of(delayed.until()));
        } else if (refusal instanceof Refusal.AwaitsProbe awaits) {
            facts.put("holder", HolderJson.of(awaits.expired(), run));
        } else if (refusal instanceof Refusal.StillRunning still) {
            facts.put("holder", HolderJson.of(still.expired(), run)).put("finding", still.finding());
        } else if (refusal instanceof Refusal.StoreRecovering recovering) {
            facts.put("opensAt", JsonTime.of(recovering.until()));
        } else if (refusal instanceof RunRefusal runs) {
            ofRuns(runs, facts, run);
        }
        if (view != null) {
            // Who has the key is also worth knowing for those who are refused for another reason.
            view.currentLease()
                    .filter(lease -> !facts.containsKey("holder"))
                    .ifPresent(lease -> facts.put("holder", HolderJson.of(lease, run)));
            if (!facts.containsKey("queueLength")) {
                facts.put("queueLength", view.waiting());
            }
        }
        return facts;
    }

    private static void ofRuns(RunRefusal refusal, JsonObject facts, @Nullable Run run) {
        if (refusal instanceof RunRefusal.Reserved reserved) {
            facts.put(
                    "holder",
                    run != null && run.id().equals(reserved.run())
                            ? HolderJson.of(run)
                            : HolderJson.of(reserved.run(), reserved.since()));
        } else if (refusal instanceof RunRefusal.QueuedAhead ahead) {
            facts.put("holder", HolderJson.of(ahead.first(), null)).put("queueLength", ahead.waiting());
        } else if (refusal instanceof RunRefusal.Paused paused) {
            facts.put("pausedBy", paused.pause().actor())
                    .put("reason", paused.pause().reason());
            paused.pause().end().ifPresent(end -> facts.put("until", JsonTime.of(end)));
        } else if (refusal instanceof RunRefusal.QueueFull full) {
            facts.put("queueLength", full.waiting()).put("limit", full.cap());
        } else if (refusal instanceof RunRefusal.TenantBusy busy) {
            facts.put("running", busy.running()).put("limit", busy.limit());
        } else if (refusal instanceof RunRefusal.WrongState wrong) {
            facts.put("state", wrong.state())
                    .put(
                            "allowed",
                            new JsonArray(
                                    new TreeSet<>(wrong.allowed()).stream().toList()));
        }
    }

    /** Why, with a capital at the beginning, unless a key stands there. */
    public static String sentence(Refusal refusal) {
        return sentence(refusal, refusal.explanation());
    }

    private static String sentence(Refusal refusal, String text) {
        return text.startsWith(refusal.key().toString())
                ? text + "."
                : Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }
}

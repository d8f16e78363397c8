package io.interlock.service;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The JSON of a refusal: the holder, its stage, how many wait. */
public final class RefusalFacts {

    private static final Duration SOON = Duration.ofSeconds(1);

    private RefusalFacts() {}

    /** The failure of an operation that met {@code refusal}; {@code view} adds what is known about the key. */
    public static Problem exception(Refusal refusal, @Nullable KeyView view) {
        String explanation = refusal.explanation();
        Problem refused = Problem.of(ProblemCode.of(refusal.code()), sentence(refusal, explanation))
                .with("key", refusal.key().name())
                .with(of(refusal, view))
                .with("explanation", explanation);
        if (refusal instanceof RunRefusal.WrongState) {
            return refused;
        }
        Duration wait = refusal.retryAfter();
        return refused.retryAfter(wait.compareTo(SOON) < 0 ? SOON : wait);
    }

    /** The facts of {@code refusal}: {@code holder}, {@code queueLength} and what else belongs to its kind. */
    public static Facts of(Refusal refusal, @Nullable KeyView view) {
        Facts facts = Facts.none();
        Run run = view == null ? null : view.run();
        if (refusal instanceof Refusal.Held held) {
            lease(facts, held.current(), run);
        } else if (refusal instanceof Refusal.HeldByCaller held) {
            lease(facts, held.current(), run);
        } else if (refusal instanceof Refusal.Delayed delayed) {
            lease(facts, delayed.ended(), run).and("opensAt", delayed.until());
        } else if (refusal instanceof Refusal.AwaitsProbe awaits) {
            lease(facts, awaits.expired(), run);
        } else if (refusal instanceof Refusal.StillRunning still) {
            lease(facts, still.expired(), run).and("finding", still.finding());
        } else if (refusal instanceof Refusal.StoreRecovering recovering) {
            facts.and("opensAt", recovering.until());
        } else if (refusal instanceof RunRefusal runs) {
            ofRuns(runs, facts, run);
        }
        if (view != null) {
            // The holder is worth knowing also if the refusal has another reason.
            view.currentLease()
                    .filter(lease -> !facts.map().containsKey("holder"))
                    .ifPresent(lease -> facts.and("holder", LockFacts.holder(lease, run)));
            if (!facts.map().containsKey("queueLength")) {
                facts.and("queueLength", view.waiting());
            }
        }
        return facts;
    }

    private static Facts lease(Facts facts, LeaseRecord lease, @Nullable Run run) {
        return facts.and("holder", LockFacts.holder(lease, run))
                .and("currentToken", lease.token().value())
                .and("expiresAt", lease.expiresAt())
                .and("observedAt", lease.observedAt());
    }

    private static void ofRuns(RunRefusal refusal, Facts facts, @Nullable Run run) {
        if (refusal instanceof RunRefusal.Reserved reserved) {
            facts.and(
                    "holder",
                    run != null && run.id().equals(reserved.run())
                            ? LockFacts.holder(run)
                            : LockFacts.holder(reserved.run(), reserved.since()));
        } else if (refusal instanceof RunRefusal.QueuedAhead ahead) {
            facts.and("holder", LockFacts.holder(ahead.first(), null)).and("queueLength", ahead.waiting());
        } else if (refusal instanceof RunRefusal.Paused paused) {
            facts.and("pausedBy", paused.pause().actor())
                    .and("reason", paused.pause().reason())
                    .and("until", paused.pause().until());
        } else if (refusal instanceof RunRefusal.QueueFull full) {
            facts.and("queueLength", full.waiting()).and("limit", full.cap());
        } else if (refusal instanceof RunRefusal.TenantBusy busy) {
            facts.and("running", busy.running()).and("limit", busy.limit());
        } else if (refusal instanceof RunRefusal.WrongState wrong) {
            facts.and("state", wrong.state())
                    .and("allowed", wrong.allowed().stream().sorted().toList());
        }
    }

    /** The lease of {@code key} with {@code token} is lost; {@code current} is the one the key has now. */
    public static Problem leaseLost(LockKey key, FencingToken token, LossCause cause, @Nullable LeaseRecord current) {
        String other =
                current == null || current.token().equals(token) ? "" : "; the current token is " + current.token();
        return Problem.of(
                        ProblemCode.LEASE_LOST,
                        "The lease on " + key.name() + " with token " + token + " is lost: " + cause.explanation()
                                + other + ".")
                .with("key", key.name())
                .with("token", token.value())
                .with("cause", cause)
                .with("currentToken", current == null ? null : current.token().value());
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

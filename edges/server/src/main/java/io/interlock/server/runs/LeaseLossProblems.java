package io.interlock.server.runs;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.run.Run;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/** What somebody is told who no longer has a lease, or never had. */
public final class LeaseLossProblems {

    private LeaseLossProblems() {}

    /** The lease of {@code key} with {@code token} is lost; {@code current} is the one the key has now. */
    public static RuntimeException of(LockKey key, FencingToken token, LossCause cause, @Nullable LeaseRecord current) {
        String other =
                current == null || current.token().equals(token) ? "" : "; the current token is " + current.token();
        return Problem.of(
                        ProblemCode.LEASE_LOST,
                        "The lease on " + key.name() + " with token " + token + " is lost: " + cause.explanation()
                                + other + ".")
                .with("key", key.name())
                .with("token", token.value())
                .with("cause", cause.name())
                .with("currentToken", current == null ? null : current.token().value())
                .thrown();
    }

    /** A caller asks for a turn that is somebody's already, or no caller's to take. */
    static RuntimeException ofTurn(Run run) {
        return Problem.of(
                        ProblemCode.LEASE_LOST,
                        "Run " + run.id() + " is " + run.state() + " and has no turn for this caller.")
                .with("key", run.key().name())
                .with("state", run.state().name())
                .with(
                        "currentToken",
                        run.status()
                                .lastTurn()
                                .map(turn -> turn.token().value())
                                .orElse(null))
                .thrown();
    }
}

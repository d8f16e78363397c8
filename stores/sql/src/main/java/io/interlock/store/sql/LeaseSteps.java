package io.interlock.store.sql;

import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRules;
import io.interlock.spi.run.rules.StopRules;
import java.util.List;
import java.util.Objects;

/** The rules about bare leases within one {@link Step}. Runs of a key are settled first, and have their say. */
final class LeaseSteps {

    /** How long a release is announced after a refused caller began to wait. */
    private static final long WAITS_MICROS = 60_000_000;

    static final KeySteps.Kind<AcquireRequest, AcquireAnswer> ACQUIRE =
            new KeySteps.Kind<>(AcquireRequest::keys, requests -> Step.Needs.KEYS, true, LeaseSteps::acquire);
    static final KeySteps.Kind<RenewRequest, RenewAnswer> RENEW = new KeySteps.Kind<>(
            request -> List.of(request.key()),
            requests -> Step.Needs.BUSY_RUNS,
            false,
            (step, request) -> LeaseRules.renew(step.state(request.key()), request));
    static final KeySteps.Kind<ReleaseRequest, ReleaseAnswer> RELEASE = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.KEYS, false, LeaseSteps::release);
    static final KeySteps.Kind<EvictRequest, EvictAnswer> EVICT = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.KEYS, false, (step, request) -> {
                KeyState state = step.settled(request.key());
                EvictAnswer answer = StopRules.evict(state, request);
                if (answer instanceof EvictAnswer.Mismatch) {
                    step.requireFirstAttempt("whether the lease of " + request.key() + " was there to be evicted");
                }
                return answer;
            });

    private LeaseSteps() {}

    private static AcquireAnswer acquire(Step step, AcquireRequest request) {
        List<KeyState> states = request.keys().stream().map(step::state).toList();
        List<AcquireAnswer.Grant> again = states.stream()
                .flatMap(state -> LeaseRules.grantedBefore(state, request).stream())
                .toList();
        if (again.size() == states.size()) {
            return new AcquireAnswer.Granted(again);
        }
        for (KeyState state : states) {
            Refusal refusal = LeaseRules.refusal(state, request.takeover());
            if (refusal != null) {
                if (request.waits() && step.transaction().dialect().notesWaiters()) {
                    markWaiter(step, request);
                }
                return new AcquireAnswer.Refused(refusal);
            }
        }
        return new AcquireAnswer.Granted(
                states.stream().map(state -> LeaseRules.grant(state, request)).toList());
    }

    private static void markWaiter(Step step, AcquireRequest request) {
        for (LockKey key : request.keys()) {
            KeyRow row =
                    Objects.requireNonNull(step.key(key), "the key is loaded").row();
            if (row.waitersUntil() < step.now() + WAITS_MICROS / 2) {
                step.writer().waits(key, step.now() + WAITS_MICROS);
            }
        }
    }

    private static ReleaseAnswer release(Step step, ReleaseRequest request) {
        ReleaseAnswer answer = LeaseRules.release(step.state(request.key()), request);
        if (answer instanceof ReleaseAnswer.Gone) {
            // Gone because of our own first attempt, or gone before? "Your lease was lost" must not be a guess.
            step.requireFirstAttempt("whether the lease of " + request.key() + " had ended before its release");
        }
        return answer;
    }
}

package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.rules.BareLeaseRules;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StopRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rules about bare leases within one {@link Step}. Runs of a key are settled first, and have their say. */
final class LeaseSteps {

    /** How long a release is announced after a refused caller began to wait. */
    private static final long WAITS_MICROS = 60_000_000;

    static final KeySteps.Kind<AcquireRequest, AcquireAnswer> ACQUIRE =
            new KeySteps.Kind<>(AcquireRequest::keys, requests -> Step.Needs.KEYS, true, LeaseSteps::acquire);
    static final KeySteps.Kind<RenewRequest, RenewAnswer> RENEW = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.BUSY_RUNS, false, LeaseSteps::renew);
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
        AcquireAnswer again = grantedBefore(request, states);
        if (again != null) {
            return again;
        }
        Refusal refusal = refusal(step, request, states);
        if (refusal != null) {
            if (request.waits() && step.transaction().dialect().notesWaiters()) {
                markWaiter(step, request);
            }
            return new AcquireAnswer.Refused(refusal);
        }
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (int i = 0; i < states.size(); i++) {
            grants.add(grant(step, request, request.keys().get(i), states.get(i)));
        }
        return new AcquireAnswer.Granted(grants);
    }

    // A request repeated because its first answer was lost.
    private static @Nullable AcquireAnswer grantedBefore(AcquireRequest request, List<KeyState> states) {
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (int i = 0; i < states.size(); i++) {
            KeyState state = states.get(i);
            LeaseRow lease = state.lease().orElse(null);
            if (lease == null || !lease.id().equals(request.id()) || !lease.isLive(state.now())) {
                return null;
            }
            grants.add(new AcquireAnswer.Grant(lease.record(request.keys().get(i), state.now()), null));
        }
        return new AcquireAnswer.Granted(grants);
    }

    private static @Nullable Refusal refusal(Step step, AcquireRequest request, List<KeyState> states) {
        StoreRow store = step.store();
        if (store.now() < store.quietUntil()) {
            return new Refusal.StoreRecovering(request.keys().get(0), step.moment(), Micros.moment(store.quietUntil()));
        }
        for (int i = 0; i < states.size(); i++) {
            KeyState state = states.get(i);
            Settlement.settle(state);
            Refusal refusal = BareLeaseRules.refusal(state, request.takeover());
            if (refusal == null) {
                refusal = LeaseRules.refusal(
                        request.keys().get(i), state.lease().orElse(null), request.takeover(), state.now());
            }
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
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

    private static AcquireAnswer.Grant grant(Step step, AcquireRequest request, LockKey key, KeyState state) {
        StoreRow store = step.store();
        Instant now = state.now();
        LeaseRecord before = state.leaseRecord();
        FencingToken token = TokenLayout.next(state.lastToken(), store.tokenFloor(), store.epoch(), now);
        LeaseRow lease = LeaseRules.grant(request, token, now);
        state.setLease(lease);
        return new AcquireAnswer.Grant(lease.record(key, now), before);
    }

    private static RenewAnswer renew(Step step, RenewRequest request) {
        KeyState state = step.settled(request.key());
        boolean overdue = ClaimRules.refusesRenewal(state, request.id(), request.token());
        LeaseRow lease = state.lease().orElse(null);
        RenewAnswer.Lost lost = LeaseRules.loss(request, lease, state.now());
        if (overdue && (lost == null || lost.cause() != LossCause.GONE)) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, state.leaseRecord());
        }
        if (lease == null || lost != null) {
            return Objects.requireNonNull(lost, "a key without a lease has lost it");
        }
        LeaseRow renewed = lease.until(state.now().plus(request.ttl()));
        ClaimRules.renewed(state, renewed);
        return new RenewAnswer.Renewed(renewed.record(request.key(), state.now()));
    }

    private static ReleaseAnswer release(Step step, ReleaseRequest request) {
        KeyState state = step.state(request.key());
        LeaseRow lease = state.lease().orElse(null);
        if (lease == null || !lease.isProvedBy(request.id(), request.token())) {
            // Gone because of our own first attempt, or gone before? "Your lease was lost" must not be a guess.
            step.requireFirstAttempt("whether the lease of " + request.key() + " had ended before its release");
            return new ReleaseAnswer.Gone(state.leaseRecord());
        }
        LeaseRecord ended = lease.record(request.key(), state.now());
        Settlement.settle(state);
        FinishRules.stopped(state);
        return ReleaseAnswer.of(ended);
    }
}

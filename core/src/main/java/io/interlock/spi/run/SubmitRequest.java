package io.interlock.spi.run;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Execution;
import io.interlock.run.LineLimits;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunTexts;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Submits a run.
 *
 * @param id the run's id, created by the client; a repeated request with it returns the existing run
 * @param idempotency identifies repeated requests, or {@code null}
 * @param caller the caller, if it executes the run; {@code null} if a worker does
 * @param line the limits of waiting and running runs
 */
public record SubmitRequest(
        RunId id,
        LockKey key,
        RunSpec spec,
        @Nullable Idempotency idempotency,
        @Nullable Caller caller,
        LineLimits line) {

    /** Checks that a caller is given exactly if the caller executes the run, and that the priority is one to submit. */
    public SubmitRequest {
        spec.submittable();
        if ((caller != null) != (spec.execution() == Execution.CALLER)) {
            throw new InvalidSettingException(
                    "execution",
                    spec.execution(),
                    caller == null ? "needs a caller" : "takes no caller",
                    "give a lease id and a holder exactly if the caller executes the run");
        }
    }

    /** A run for a worker, without further conditions. */
    public static SubmitRequest of(RunId id, LockKey key, RunSpec spec) {
        return new SubmitRequest(id, key, spec, null, null, LineLimits.NONE);
    }

    /** This request with an idempotency key. */
    public SubmitRequest knownBy(Idempotency idempotency) {
        return new SubmitRequest(id, key, spec, idempotency, caller, line);
    }

    /** This request, executed by {@code caller}. */
    public SubmitRequest by(Caller caller) {
        return new SubmitRequest(id, key, spec.execution(Execution.CALLER), idempotency, caller, line);
    }

    /** This request with other limits. */
    public SubmitRequest within(LineLimits line) {
        return new SubmitRequest(id, key, spec, idempotency, caller, line);
    }

    /** The idempotency key, if there is one. */
    public Optional<Idempotency> known() {
        return Optional.ofNullable(idempotency);
    }

    /**
     * Identifies repeated requests of a tenant.
     *
     * @param fingerprint a hash of the request, which reveals a different request with the same key
     * @param keepFor how long the key is valid
     */
    public record Idempotency(String key, String fingerprint, Duration keepFor) {

        public Idempotency {
            keepFor = RunLimits.capped(keepFor);
            RunTexts.require("idempotency key", key, "choose a unique key for the request");
            RunTexts.require("fingerprint", fingerprint, "use a hash of the request");
        }
    }

    /** A caller that executes its run itself. */
    public record Caller(LeaseId lease, Holder holder) {}
}

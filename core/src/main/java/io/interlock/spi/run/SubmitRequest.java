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
 * Asks for a run.
 *
 * @param id the run's name, made by the asker; asking again with it returns the run already made
 * @param key what it is exclusive under
 * @param spec what is to be done
 * @param idempotency by what the asker knows the same request again, or {@code null}
 * @param caller who works, if that is the asker; {@code null} if a worker does
 * @param line how many may wait and be under way
 */
public record SubmitRequest(
        RunId id,
        LockKey key,
        RunSpec spec,
        @Nullable Idempotency idempotency,
        @Nullable Caller caller,
        LineLimits line) {

    /** Checks that a caller is named exactly if the caller works. */
    public SubmitRequest {
        if ((caller != null) != (spec.execution() == Execution.CALLER)) {
            throw new InvalidSettingException(
                    "execution",
                    spec.execution(),
                    caller == null ? "needs a caller" : "has no place for a caller",
                    "name a lease id and a holder exactly if the caller does the work");
        }
    }

    /** Asks for a run by a worker, without further conditions. */
    public static SubmitRequest of(RunId id, LockKey key, RunSpec spec) {
        return new SubmitRequest(id, key, spec, null, null, LineLimits.NONE);
    }

    /** This, known again by {@code idempotency}. */
    public SubmitRequest knownBy(Idempotency idempotency) {
        return new SubmitRequest(id, key, spec, idempotency, caller, line);
    }

    /** This, with work done by {@code caller}. */
    public SubmitRequest by(Caller caller) {
        return new SubmitRequest(id, key, spec.execution(Execution.CALLER), idempotency, caller, line);
    }

    /** This, under other limits. */
    public SubmitRequest within(LineLimits line) {
        return new SubmitRequest(id, key, spec, idempotency, caller, line);
    }

    /** By what the asker knows the same request again. */
    public Optional<Idempotency> known() {
        return Optional.ofNullable(idempotency);
    }

    /**
     * By what a tenant knows the same request again.
     *
     * @param key the tenant's name for the request
     * @param fingerprint what the request asked for, so that another one under the same name is noticed
     * @param keepFor how long the name counts
     */
    public record Idempotency(String key, String fingerprint, Duration keepFor) {

        /** Checks the name. */
        public Idempotency {
            keepFor = RunLimits.capped(keepFor);
            RunTexts.require("idempotency key", key, "choose a name for the request");
            RunTexts.require("fingerprint", fingerprint, "use a hash of what is asked for");
        }
    }

    /**
     * Whoever does the work itself.
     *
     * @param lease the name of the grant to come
     * @param holder who it is
     */
    public record Caller(LeaseId lease, Holder holder) {}
}

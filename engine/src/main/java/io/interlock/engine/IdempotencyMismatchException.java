package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.run.Run;

/** Something else was asked for before under the same idempotency key. Nothing was done. */
public final class IdempotencyMismatchException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String idempotencyKey;
    private final transient Run run;

    /** {@code idempotencyKey} stands for another request, which {@code run} came of. */
    public IdempotencyMismatchException(String idempotencyKey, Run run) {
        super("idempotency key '" + idempotencyKey + "' already stands for run " + run.id() + " of job " + run.job()
                + " under " + run.key()
                + ", which was asked for in other words; repeat the request exactly, or choose another key");
        this.idempotencyKey = idempotencyKey;
        this.run = run;
    }

    /** The key that was used twice. */
    public String idempotencyKey() {
        return idempotencyKey;
    }

    /** What came of the first request. */
    public Run run() {
        return run;
    }

    @Override
    public String code() {
        return "idempotency-mismatch";
    }
}

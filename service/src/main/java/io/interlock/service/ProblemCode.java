package io.interlock.service;

import java.util.Locale;

/** The problems there are. {@code problems.yaml} of the server says what each means. */
public enum ProblemCode {
    INVALID_REQUEST,
    UNAUTHENTICATED,
    FORBIDDEN,
    NOT_FOUND,
    UNKNOWN_JOB,
    UNKNOWN_ROUTE,
    METHOD_NOT_ALLOWED,
    REQUEST_TIMEOUT,
    LOCK_HELD,
    LOCK_DELAYED,
    KEY_PAUSED,
    STORE_RECOVERING,
    WRONG_STATE,
    RUN_FINISHED,
    NOT_DEAD,
    LEASE_LOST,
    TOKEN_STALE,
    BODY_TOO_LARGE,
    URI_TOO_LONG,
    UNSUPPORTED_MEDIA_TYPE,
    EXPECTATION_FAILED,
    IDEMPOTENCY_MISMATCH,
    QUEUE_FULL,
    TENANT_BUSY,
    TENANT_LIMIT,
    RATE_LIMITED,
    TOO_MANY_STREAMS,
    HEADERS_TOO_LARGE,
    INTERNAL_ERROR,
    NEEDS_RUN_STORE,
    STORE_UNAVAILABLE,
    OVERLOADED,
    SHUTTING_DOWN;

    /** The problem that {@code code}, as it stands in the JSON, is. */
    public static ProblemCode of(String code) {
        return valueOf(code.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** As it stands in the JSON: {@code lock-held}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.interlock.server.problem;

import io.interlock.server.YamlResource;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The problems there are. {@code problems.yaml} says what each means; {@link Catalogue} refuses to load if they differ. */
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

    /** What the catalogue says about it. */
    public Catalogue.Entry entry() {
        return Catalogue.of(this);
    }

    /** All problems, read once from {@code problems.yaml}. */
    public static final class Catalogue {

        private static final Map<ProblemCode, Entry> ENTRIES = read();

        private Catalogue() {}

        /**
         * One problem.
         *
         * @param detail an example of what is said about one case
         * @param facts an example of the further members
         */
        public record Entry(
                ProblemCode code,
                int status,
                String title,
                boolean retryable,
                String says,
                String next,
                String detail,
                JsonObject facts) {

            /** The problem of the example, as a client would see it. */
            public JsonObject example() {
                return new Problem(code, detail, facts).toJson("019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10");
            }
        }

        /** All of them, in the order of the file. */
        public static List<Entry> all() {
            return List.copyOf(ENTRIES.values());
        }

        static Entry of(ProblemCode code) {
            return Objects.requireNonNull(ENTRIES.get(code));
        }

        private static Map<ProblemCode, Entry> read() {
            Map<ProblemCode, Entry> entries = new EnumMap<>(ProblemCode.class);
            for (Object item : YamlResource.list("problems.yaml")) {
                JsonObject row = (JsonObject) item;
                ProblemCode code = ProblemCode.of(row.getString("code"));
                if (entries.put(code, entry(code, row)) != null) {
                    throw new IllegalStateException("problems.yaml lists " + code + " twice");
                }
            }
            if (entries.size() != ProblemCode.values().length) {
                throw new IllegalStateException("problems.yaml lists only " + entries.keySet());
            }
            return Collections.unmodifiableMap(entries);
        }

        private static Entry entry(ProblemCode code, JsonObject row) {
            return new Entry(
                    code,
                    row.getInteger("status"),
                    row.getString("title"),
                    row.getBoolean("retryable"),
                    row.getString("says"),
                    row.getString("next"),
                    row.getString("detail"),
                    row.getJsonObject("facts", new JsonObject()));
        }
    }
}

package io.interlock.server.problem;

import io.interlock.service.ProblemCode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Set;

/** How a contract tells what went wrong. A document names its own in {@code x-errors}. */
public enum ErrorShape {
    /** RFC 9457. */
    PROBLEM(Problems.MEDIA_TYPE, "Problem") {
        @Override
        public JsonObject of(JsonObject problem) {
            return problem;
        }
    },
    /** {@code {"error": {"code", "message", "details"}}}, the code in capitals. */
    ERROR("application/json", "Error") {
        @Override
        public JsonObject of(JsonObject problem) {
            JsonObject details = problem.copy();
            STANDARD.forEach(details::remove);
            String code = problem.getString("code").toUpperCase(Locale.ROOT).replace('-', '_');
            return new JsonObject()
                    .put(
                            "error",
                            new JsonObject()
                                    .put("code", code)
                                    .put("message", sentence(problem))
                                    .put("details", details));
        }
    },
    /** {@code {"success": false, "error", "details"}}; of a fault of our own only the first two, and the store's are such. */
    SUCCESS("application/json", "Failure") {
        @Override
        public JsonObject of(JsonObject problem) {
            JsonObject json = new JsonObject().put("success", false);
            return problem.getInteger("status") >= FAULT
                    ? json.put("error", sentence(problem))
                    : json.put("error", problem.getString("title")).put("details", sentence(problem));
        }

        @Override
        public int status(ProblemCode code) {
            return code == ProblemCode.STORE_UNAVAILABLE ? FAULT : super.status(code);
        }
    };

    private static final int FAULT = 500;

    /** What the members of the standard say is said in another way. */
    private static final Set<String> STANDARD = Set.of("type", "title", "status", "detail", "code", "retryable");

    private final String mediaType;
    private final String schema;

    ErrorShape(String mediaType, String schema) {
        this.mediaType = mediaType;
        this.schema = schema;
    }

    /** The one a document calls {@code name}. */
    public static ErrorShape named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** A problem, as RFC 9457 has it, in this shape. */
    public abstract JsonObject of(JsonObject problem);

    public int status(ProblemCode code) {
        return Catalogue.of(code).status();
    }

    public String mediaType() {
        return mediaType;
    }

    public String schema() {
        return schema;
    }

    /** The detail, and the mistakes if there are any. */
    private static String sentence(JsonObject problem) {
        StringBuilder text = new StringBuilder(problem.getString("detail"));
        for (Object error : problem.getJsonArray("errors", new JsonArray())) {
            JsonObject mistake = (JsonObject) error;
            text.append(' ')
                    .append(mistake.getString("pointer"))
                    .append(mistake.getString("pointer").isEmpty() ? "" : " ")
                    .append(mistake.getString("detail"))
                    .append(mistake.getString("detail").endsWith(".") ? "" : ".");
        }
        return text.toString();
    }
}

package io.interlock.server.problem;

import io.interlock.server.YamlResource;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What is said about each problem, read once from {@code problems.yaml}; it refuses to load if a problem is missing there. */
public final class Catalogue {

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
            Problem problem = Problem.of(code, detail).with(Facts.of(facts.getMap()));
            return Problems.json(problem, "019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10");
        }
    }

    /** All of them, in the order of the file. */
    public static List<Entry> all() {
        return List.copyOf(ENTRIES.values());
    }

    /** What it says about {@code code}. */
    public static Entry of(ProblemCode code) {
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

package io.interlock.server.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.JsonSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises values that keep a schema, in a fraction of the time a validator takes. It may fail to recognise one, but never takes a
 * wrong value for a proper one: what it does not recognise is for the validator to decide, which also says what is wrong.
 *
 * <p>It knows the words of JSON Schema that the contracts use; where a schema has another one, nothing is recognised.
 */
final class SchemaMatch {

    /** Words that ask nothing of a value. */
    private static final Set<String> REMARKS =
            Set.of("description", "title", "default", "example", "examples", "deprecated", "$comment");

    /** A schema that contains itself ends here. */
    private static final int DEEPEST = 20;

    private SchemaMatch() {}

    /** What recognises values that keep {@code schema}, in which references are resolved. */
    static Predicate<@Nullable Object> of(JsonSchema schema) {
        JsonObject json = new JsonObject();
        schema.fieldNames().forEach(name -> json.put(name, schema.<Object>get(name)));
        return of(json, 0);
    }

    private static Predicate<@Nullable Object> of(@Nullable Object schema, int depth) {
        if (!(schema instanceof JsonObject words) || depth > DEEPEST) {
            return SchemaMatch::never;
        }
        List<Predicate<@Nullable Object>> all = new ArrayList<>();
        for (String word : words.fieldNames()) {
            // The resolver leaves marks like __absolute_uri__.
            if (!REMARKS.contains(word) && !word.startsWith("x-") && !word.startsWith("__")) {
                all.add(word(word, words, depth));
            }
        }
        List<Predicate<@Nullable Object>> asked = List.copyOf(all);
        return value -> {
            for (Predicate<@Nullable Object> each : asked) {
                if (!each.test(value)) {
                    return false;
                }
            }
            return true;
        };
    }

    private static Predicate<@Nullable Object> word(String word, JsonObject schema, int depth) {
        Object said = schema.getValue(word);
        return switch (word) {
            case "type" -> type(said);
            case "enum" -> oneOf(said);
            case "pattern" -> pattern(said);
            case "minLength" -> ofTexts(length -> length >= number(said));
            case "maxLength" -> ofTexts(length -> length <= number(said));
            case "minimum" -> bound(said, true);
            case "maximum" -> bound(said, false);
            case "minItems" -> value -> !(value instanceof JsonArray array) || array.size() >= number(said);
            case "maxItems" -> value -> !(value instanceof JsonArray array) || array.size() <= number(said);
            case "minProperties" -> value -> !(value instanceof JsonObject object) || object.size() >= number(said);
            case "maxProperties" -> value -> !(value instanceof JsonObject object) || object.size() <= number(said);
            case "required" -> required(said);
            case "items" -> items(of(said, depth + 1));
            case "properties" -> fields(said, schema.getValue("additionalProperties", true), depth);
            case "additionalProperties" ->
                schema.containsKey("properties") ? value -> true : fields(new JsonObject(), said, depth);
            default -> SchemaMatch::never;
        };
    }

    private static Predicate<@Nullable Object> type(@Nullable Object names) {
        List<Object> types =
                names instanceof JsonArray several ? several.stream().toList() : List.of(Objects.requireNonNull(names));
        return value -> {
            for (Object type : types) {
                if (is(type, value)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static boolean is(Object type, @Nullable Object value) {
        return switch (String.valueOf(type)) {
            case "string" -> value instanceof String;
            case "integer" -> value instanceof Integer || value instanceof Long;
            case "number" -> value instanceof Integer || value instanceof Long || value instanceof Double;
            case "boolean" -> value instanceof Boolean;
            case "object" -> value instanceof JsonObject;
            case "array" -> value instanceof JsonArray;
            case "null" -> value == null;
            default -> false;
        };
    }

    private static Predicate<@Nullable Object> oneOf(@Nullable Object values) {
        Set<Object> texts = new HashSet<>();
        if (values instanceof JsonArray array) {
            array.stream().filter(String.class::isInstance).forEach(texts::add);
        }
        return value -> value != null && texts.contains(value);
    }

    private static Predicate<@Nullable Object> pattern(@Nullable Object expression) {
        Pattern pattern = Pattern.compile(String.valueOf(expression));
        return value -> !(value instanceof String text) || pattern.matcher(text).find();
    }

    /** Counted in characters and in code points, whichever a validator counts. */
    private static Predicate<@Nullable Object> ofTexts(IntPredicate length) {
        return value -> !(value instanceof String text)
                || (length.test(text.length()) && length.test(text.codePointCount(0, text.length())));
    }

    private static Predicate<@Nullable Object> bound(@Nullable Object limit, boolean least) {
        if (!(limit instanceof Integer) && !(limit instanceof Long)) {
            return SchemaMatch::never;
        }
        long bound = ((Number) limit).longValue();
        return value -> {
            if (value instanceof Integer || value instanceof Long) {
                long number = ((Number) value).longValue();
                return least ? number >= bound : number <= bound;
            }
            return !(value instanceof Number);
        };
    }

    private static Predicate<@Nullable Object> required(@Nullable Object names) {
        List<String> needed = names instanceof JsonArray array
                ? array.stream().map(String::valueOf).toList()
                : List.of();
        return value -> {
            if (value instanceof JsonObject object) {
                for (String name : needed) {
                    if (!object.containsKey(name)) {
                        return false;
                    }
                }
            }
            return true;
        };
    }

    private static Predicate<@Nullable Object> items(Predicate<@Nullable Object> each) {
        return value -> {
            if (value instanceof JsonArray array) {
                for (Object item : array) {
                    if (!each.test(item)) {
                        return false;
                    }
                }
            }
            return true;
        };
    }

    private static Predicate<@Nullable Object> fields(@Nullable Object known, @Nullable Object others, int depth) {
        Map<String, Predicate<@Nullable Object>> byName = new HashMap<>();
        if (known instanceof JsonObject properties) {
            properties.fieldNames().stream()
                    .filter(name -> !name.startsWith("__"))
                    .forEach(name -> byName.put(name, of(properties.getValue(name), depth + 1)));
        }
        Predicate<@Nullable Object> other =
                others instanceof Boolean allowed ? value -> allowed : of(others, depth + 1);
        return value -> {
            if (value instanceof JsonObject object) {
                for (Map.Entry<String, Object> field : object) {
                    if (!byName.getOrDefault(field.getKey(), other).test(field.getValue())) {
                        return false;
                    }
                }
            }
            return true;
        };
    }

    private static boolean never(@Nullable Object value) {
        return false;
    }

    private static long number(@Nullable Object said) {
        return ((Number) Objects.requireNonNull(said)).longValue();
    }
}

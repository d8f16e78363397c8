package io.interlock.server.api;

import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.Parameter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one parameter of an operation, as the type its schema gives it. */
final class ParameterCheck {

    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");

    private final String name;
    private final String pointer;
    private final Location in;
    private final boolean required;
    private final String type;
    private final @Nullable Object otherwise;
    private final Predicate<@Nullable Object> proper;
    private final Validator validator;

    ParameterCheck(Parameter parameter, SchemaRepository schemas) {
        name = parameter.getName();
        in = parameter.getIn();
        pointer = in.name().toLowerCase(Locale.ROOT) + "/" + name;
        required = parameter.isRequired();
        JsonSchema schema = parameter.getSchema();
        type = schema.get("type", "string");
        otherwise = schema.get("default");
        proper = SchemaMatch.of(schema);
        validator = schemas.validator(schema);
    }

    /** Puts its value into {@code values}, or what is wrong with it into {@code mistakes}. */
    void read(RoutingContext context, Map<String, Object> values, List<Mistake> mistakes) {
        List<String> given = given(context);
        if (given.isEmpty()) {
            if (required) {
                mistakes.add(new Mistake(pointer, "is required"));
            } else if (otherwise != null) {
                values.put(name, otherwise);
            }
            return;
        }
        if (given.size() > 1) {
            mistakes.add(new Mistake(pointer, "is given " + given.size() + " times"));
            return;
        }
        if (!PlainText.isDecoded(given.get(0))) {
            mistakes.add(new Mistake(pointer, "is not UTF-8, or contains U+0000"));
            return;
        }
        Object value = typed(given.get(0));
        List<Mistake> found = proper.test(value) ? List.of() : ValidationErrors.of(validator.validate(value));
        if (found.isEmpty()) {
            values.put(name, value);
        }
        found.forEach(mistake -> mistakes.add(new Mistake(pointer, mistake.detail())));
    }

    private List<String> given(RoutingContext context) {
        return switch (in) {
            case PATH -> {
                String value = context.pathParam(name);
                yield value == null ? List.of() : List.of(value);
            }
            case QUERY -> context.queryParam(name);
            case HEADER -> context.request().headers().getAll(name);
            default -> throw new IllegalStateException("parameters in " + in + " are not read");
        };
    }

    /** The text as its type, or as it is if it cannot be: then the validator says what is wrong. */
    private Object typed(String text) {
        return switch (type) {
            case "integer" -> INTEGER.matcher(text).matches() ? (Object) Long.valueOf(text) : text;
            case "boolean" -> text.equals("true") || text.equals("false") ? (Object) Boolean.valueOf(text) : text;
            case "array" -> new JsonArray(List.of(text.split(",", -1)));
            case "object" -> new JsonObject();
            default -> text;
        };
    }
}

package io.interlock.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.interlock.service.Problem;
import io.interlock.service.Problem.Mistake;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.contract.RequestBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Holds a request against its operation in the contract and finds every mistake at once.
 *
 * <p>The router's own check would do the same for the first mistake only, on another thread, building its validators anew for
 * each request.
 */
final class RequestCheck {

    private final List<ParameterCheck> parameters;
    private final Set<String> queryNames = new HashSet<>();
    private final Predicate<@Nullable Object> properBody;
    private final @Nullable Validator body;
    private final boolean bodyRequired;

    RequestCheck(Operation operation, SchemaRepository schemas) {
        parameters = operation.getParameters().stream()
                .map(parameter -> new ParameterCheck(parameter, schemas))
                .toList();
        operation.getParameters().stream()
                .filter(parameter -> parameter.getIn() == Location.QUERY)
                .forEach(parameter -> queryNames.add(parameter.getName()));
        RequestBody expected = operation.getRequestBody();
        MediaType json = expected == null ? null : expected.getContent().get("application/json");
        properBody = json == null ? nothing -> false : SchemaMatch.of(json.getSchema());
        body = json == null ? null : schemas.validator(json.getSchema());
        bodyRequired = expected != null && expected.isRequired();
    }

    /**
     * The call, if the request keeps the contract.
     *
     * @throws io.interlock.service.Problem naming all mistakes
     */
    Call check(RoutingContext context, Buffer raw) {
        List<Mistake> mistakes = new ArrayList<>();
        Map<String, Object> values = new HashMap<>();
        parameters.forEach(parameter -> parameter.read(context, values, mistakes));
        if (context.request().query() != null) {
            context.queryParams().names().stream()
                    .filter(name -> !queryNames.contains(name))
                    .forEach(name -> mistakes.add(new Mistake(
                            "query/" + ValidationErrors.shown(name),
                            "is unknown here; known are " + new TreeSet<>(queryNames))));
        }
        JsonObject json = readBody(raw, mistakes);
        if (!mistakes.isEmpty()) {
            throw Problem.invalid(mistakes);
        }
        return new Call(context, values, json);
    }

    private JsonObject readBody(Buffer raw, List<Mistake> mistakes) {
        if (raw.length() == 0) {
            if (bodyRequired) {
                mistakes.add(new Mistake("", "A JSON body is required."));
            }
            return new JsonObject();
        }
        if (body == null) {
            mistakes.add(new Mistake("", "This operation takes no body."));
            return new JsonObject();
        }
        try {
            // Strictly UTF-8: a parser that guesses encodings could be made to see another text than the check before
            // it.
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(raw.getBytes()))
                    .toString();
            DecodeException twice = null;
            Object value;
            try {
                value = readOnce(text);
            } catch (DecodeException failure) {
                if (!namesAFieldTwice(failure)) {
                    throw failure;
                }
                twice = failure;
                // Its other mistakes are told as well.
                value = Json.decodeValue(text);
            }
            if (value instanceof JsonObject object) {
                if (!properBody.test(object)) {
                    mistakes.addAll(ValidationErrors.of(body.validate(object)));
                }
                // Whatever is wrong with a text was escaped: UTF-8 and JSON know no other way.
                if (text.contains("\\u")) {
                    findBroken("", object, mistakes);
                }
                if (twice != null) {
                    mistakes.add(new Mistake(
                            "",
                            "The body is not JSON that can be read in one way only" + ValidationErrors.place(twice)
                                    + " names a field for the second time."));
                }
                return object;
            }
            mistakes.add(new Mistake("", "The body must be a JSON object."));
        } catch (DecodeException notJson) {
            mistakes.add(new Mistake("", "The body is not JSON" + ValidationErrors.place(notJson) + "."));
        } catch (CharacterCodingException notUtf8) {
            mistakes.add(new Mistake("", "The body is not UTF-8."));
        }
        return new JsonObject();
    }

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static boolean namesAFieldTwice(DecodeException failure) {
        return failure.getCause() != null
                && String.valueOf(failure.getCause().getMessage()).startsWith("Duplicate field");
    }

    /** Reads {@code json}; fails if it is no JSON that can be read in one way only. */
    private static Object readOnce(String json) {
        try (JsonParser parser = JSON.createParser(json)) {
            return JacksonCodec.fromParser(parser, Object.class);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static final char REPLACEMENT = '\uFFFD';

    private static void findBroken(String pointer, @Nullable Object value, List<Mistake> mistakes) {
        if (value instanceof String text && !isPlain(text)) {
            mistakes.add(new Mistake(pointer, "contains U+0000 or one half of a surrogate pair"));
        } else if (value instanceof JsonObject object) {
            object.forEach(field -> {
                String name = ValidationErrors.shown(field.getKey());
                findBroken(pointer + "/" + name, field.getKey(), mistakes);
                findBroken(pointer + "/" + name, field.getValue(), mistakes);
            });
        } else if (value instanceof JsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                findBroken(pointer + "/" + i, array.getValue(i), mistakes);
            }
        }
    }

    /**
     * Whether {@code text} came in as what it says. Bytes of a path or a query that are no UTF-8 arrive as U+FFFD, whichever they were: two
     * names would be one.
     */
    private static boolean isDecoded(String text) {
        return isPlain(text) && text.indexOf(REPLACEMENT) < 0;
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            if (at == 0 || Character.isLowSurrogate(at)) {
                return false;
            }
            if (Character.isHighSurrogate(at)) {
                i++;
                if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Reads one parameter of an operation, as the type its schema gives it. */
    static final class ParameterCheck {

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
            if (!isDecoded(given.get(0))) {
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

    /** What a validator found, as a client can use it. */
    static final class ValidationErrors {

        private static final int MOST = 20;
        private static final String STRAY = "is no field here";
        private static final Pattern QUOTED = Pattern.compile("\"(.*)\"");
        private static final Pattern PLACE = Pattern.compile("line: (\\d+), column: (\\d+)");

        /** The words of a schema that say something themselves; the others only sum up what these found further down. */
        private static final Set<String> TELLING = Set.of(
                ("type const enum required minProperties maxProperties minItems maxItems uniqueItems minimum maximum"
                                + " minLength maxLength pattern format additionalProperties")
                        .split(" "));

        private ValidationErrors() {}

        /** None if the value keeps its schema. */
        static List<Mistake> of(OutputUnit found) {
            if (Boolean.TRUE.equals(found.getValid())) {
                return List.of();
            }
            List<OutputUnit> errors = found.getErrors() == null ? List.of() : found.getErrors();
            Map<String, Mistake> byPlace = new LinkedHashMap<>();
            for (OutputUnit error : errors) {
                String keyword = keyword(error);
                if (TELLING.contains(keyword) && byPlace.size() < MOST) {
                    Mistake mistake = mistake(error, keyword);
                    // A field whose value is wrong is reported once more as one that does not belong.
                    byPlace.merge(
                            mistake.pointer(),
                            mistake,
                            (first, second) -> first.detail().equals(STRAY) ? second : first);
                }
            }
            List<Mistake> mistakes = List.copyOf(byPlace.values());
            return mistakes.isEmpty() ? List.of(new Mistake("", "breaks its schema")) : mistakes;
        }

        /** Where a parser stopped, without the text it stopped at. */
        static String place(DecodeException failure) {
            Matcher place = PLACE.matcher(String.valueOf(failure.getMessage()));
            return place.find() ? ": line " + place.group(1) + ", column " + place.group(2) : "";
        }

        /** At most a line of what a client sent. */
        static String shown(String text) {
            String plain = text.replaceAll("\\p{Cntrl}", "?");
            return plain.length() > 300 ? plain.substring(0, 300) + "…" : plain;
        }

        private static Mistake mistake(OutputUnit error, String keyword) {
            String at = pointer(error);
            String said = shown(String.valueOf(error.getError()));
            return switch (keyword) {
                case "required" -> new Mistake(at + "/" + quoted(said), "is required");
                case "additionalProperties" -> new Mistake(at, STRAY);
                case "pattern" -> new Mistake(at, pattern(String.valueOf(error.getAbsoluteKeywordLocation())));
                case "maxProperties" -> new Mistake(at, "has too many fields");
                case "minProperties" -> new Mistake(at, "has too few fields");
                default -> new Mistake(at, said);
            };
        }

        private static String pattern(String schema) {
            if (schema.contains("/Duration/")) {
                return "is not a duration; write it as 500ms, 30s, 5m, 2h, 1d or PT5M";
            }
            return schema.contains("/LeaseId/") ? "is not a UUID" : "does not have the form it must have";
        }

        private static String quoted(String said) {
            Matcher name = QUOTED.matcher(said);
            return name.find() ? name.group(1) : "";
        }

        private static String keyword(OutputUnit error) {
            String location = String.valueOf(error.getKeywordLocation());
            return location.substring(location.lastIndexOf('/') + 1);
        }

        private static String pointer(OutputUnit error) {
            String location = error.getInstanceLocation();
            return location == null ? "" : shown(location.startsWith("#") ? location.substring(1) : location);
        }
    }
}

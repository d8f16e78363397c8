package io.interlock.server.api;

import io.interlock.server.problem.Problem;
import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.RequestBody;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
     * @throws io.interlock.server.problem.ProblemException naming all mistakes
     */
    Call check(RoutingContext context, Buffer raw) {
        List<Mistake> mistakes = new ArrayList<>();
        Map<String, Object> values = new HashMap<>();
        parameters.forEach(parameter -> parameter.read(context, values, mistakes));
        MultiMap query = context.queryParams();
        query.names().stream()
                .filter(name -> !queryNames.contains(name))
                .forEach(name -> mistakes.add(new Mistake(
                        "query/" + ValidationErrors.shown(name),
                        "is unknown here; known are " + new TreeSet<>(queryNames))));
        JsonObject json = readBody(raw, mistakes);
        if (!mistakes.isEmpty()) {
            throw Problem.invalid(mistakes).thrown();
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
            JsonObject proper = OneMeaning.read(text);
            if (proper != null) {
                if (!properBody.test(proper)) {
                    mistakes.addAll(ValidationErrors.of(body.validate(proper)));
                }
                PlainText.check(proper, mistakes);
                return proper;
            }
            // Once more, to say what is wrong with it.
            Object value = Json.decodeValue(text);
            if (value instanceof JsonObject object) {
                mistakes.addAll(ValidationErrors.of(body.validate(object)));
                PlainText.check(object, mistakes);
                OneMeaning.check(text, mistakes);
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
}

package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Holds answers of the server against the schemas of its document: status, media type, body. A body has no field that its schema lacks. */
public final class ContractCheck {

    private static final Set<String> STANDARD = Set.of("404", "405", "408", "413", "414", "415", "417", "431");

    /** By document, operation and status, for all servers of this JVM: each takes longer to create than many answers to check. */
    private static final Map<String, Validator> VALIDATORS = new ConcurrentHashMap<>();

    /** By document. */
    private static final Map<String, JsonObject> COMPONENTS = new ConcurrentHashMap<>();

    private final String name;
    private final JsonObject document;
    private final Map<Pattern, JsonObject> paths = new LinkedHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** Of {@code /api/v1}. */
    public ContractCheck() {
        this("openapi.yaml");
    }

    /** Of the document called {@code name}. */
    public ContractCheck(String name) {
        this.name = name;
        document = ContractDocument.read(name);
        String base = ContractDocument.base(document);
        document.getJsonObject("paths").forEach(path -> {
            String pattern = path.getKey().replace(".", "\\.").replaceAll("\\{[^}]*}", "[^/]+");
            paths.put(Pattern.compile(base + pattern), (JsonObject) path.getValue());
        });
    }

    /** Fails if the document does not allow this answer. */
    public void check(HttpResponse<String> answer) {
        String method = answer.request().method().toLowerCase(Locale.ROOT);
        String path = answer.uri().getRawPath();
        Optional<JsonObject> operation = paths.entrySet().stream()
                .filter(known -> known.getKey().matcher(path).matches())
                .map(known -> known.getValue().getJsonObject(method))
                .filter(found -> found != null)
                .findFirst();
        if (operation.isEmpty()) {
            return;
        }
        String id = operation.get().getString("operationId");
        String status = Integer.toString(answer.statusCode());
        JsonObject response = operation.get().getJsonObject("responses").getJsonObject(status);
        if (response == null) {
            assertThat(STANDARD)
                    .as("%s answers %s: %s", id, status, answer.body())
                    .contains(status);
            return;
        }
        seen.add(id + " " + status);
        JsonObject content = response.getJsonObject("content");
        if (content == null) {
            assertThat(answer.body()).as("%s %s", id, status).isEmpty();
            return;
        }
        String type = content.fieldNames().iterator().next();
        assertThat(answer.headers().firstValue("Content-Type"))
                .as("%s %s", id, status)
                .contains(type);
        validate(id + " " + status, content.getJsonObject(type).getJsonObject("schema"), answer.body());
        Set<String> headers =
                response.getJsonObject("headers", new JsonObject()).fieldNames();
        assertThat(answer.headers().map().keySet().stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .toList())
                .as("headers of %s %s", id, status)
                .containsAll(headers.stream()
                        .filter(name -> !name.equals("Retry-After") || answer.statusCode() == 202)
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .toList());
    }

    /** Which operations answered with which status so far. */
    public Set<String> seen() {
        return seen;
    }

    private void validate(String what, JsonObject schema, String body) {
        Validator validator = VALIDATORS.computeIfAbsent(
                name + " " + what,
                key -> Validator.create(
                        JsonSchema.of(closed(schema)),
                        new JsonSchemaOptions()
                                .setDraft(Draft.DRAFT202012)
                                .setBaseUri("https://interlock.test")
                                .setOutputFormat(OutputFormat.Basic)));
        OutputUnit result = validator.validate(Json.decodeValue(body));
        assertThat(result.getValid())
                .as(
                        "%s: %s%n%s",
                        what,
                        body,
                        result.getErrors() == null
                                ? ""
                                : result.getErrors().stream()
                                        .map(error -> error.getInstanceLocation() + " " + error.getError())
                                        .toList())
                .isTrue();
    }

    // Copies: the validator leaves marks in what it is given, and several may be made at once.
    private JsonObject closed(JsonObject schema) {
        JsonObject components = COMPONENTS.computeIfAbsent(name, document -> closedComponents());
        return close(schema.copy()).put("components", components.copy());
    }

    private JsonObject closedComponents() {
        JsonObject components = document.getJsonObject("components").copy();
        components.remove("examples");
        components.getJsonObject("schemas").forEach(schema -> closeInside((JsonObject) schema.getValue()));
        return components;
    }

    /** Allows no field that {@code schema} does not name. Only where it is used: a part of another schema may not forbid what that names. */
    private JsonObject close(JsonObject schema) {
        closeInside(schema);
        return namesFields(schema) && !isOpen(schema) ? schema.put("unevaluatedProperties", false) : schema;
    }

    private void closeInside(JsonObject schema) {
        schema.getJsonObject("properties", new JsonObject()).forEach(field -> close((JsonObject) field.getValue()));
        Stream.of("items", "additionalProperties")
                .map(schema::getValue)
                .filter(JsonObject.class::isInstance)
                .forEach(inner -> close((JsonObject) inner));
        parts(schema).forEach(this::closeInside);
    }

    private boolean namesFields(JsonObject schema) {
        return schema.containsKey("properties") || all(schema).anyMatch(this::namesFields);
    }

    private boolean isOpen(JsonObject schema) {
        return schema.containsKey("additionalProperties") || all(schema).anyMatch(this::isOpen);
    }

    /** Its parts, and what it refers to. */
    private Stream<JsonObject> all(JsonObject schema) {
        String reference = schema.getString("$ref");
        Stream<JsonObject> referred = reference == null
                ? Stream.empty()
                : Stream.of(document.getJsonObject("components")
                        .getJsonObject("schemas")
                        .getJsonObject(reference.replace("#/components/schemas/", "")));
        return Stream.concat(parts(schema), referred);
    }

    private static Stream<JsonObject> parts(JsonObject schema) {
        return Stream.of("allOf", "anyOf", "oneOf")
                .flatMap(name -> schema.getJsonArray(name, new JsonArray()).stream())
                .map(JsonObject.class::cast);
    }
}

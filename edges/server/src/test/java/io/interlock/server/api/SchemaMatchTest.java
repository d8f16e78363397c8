package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.api.RequestCheck.ValidationErrors;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recognised, the validator finds nothing wrong with: the contract is checked in both ways alike. */
class SchemaMatchTest {

    private static final Vertx vertx = Vertx.vertx();
    private static final String UUID = "0b5e5a52-3f0c-4a35-9d0c-6a4f7c2f9a11";
    private static final String PAIR = "\uD83D\uDE00";

    /** Proper somewhere, wrong elsewhere. */
    private static final List<Object> VALUES = Arrays.asList(
            null,
            "",
            "a",
            "5m",
            "5 minutes",
            UUID,
            "caller",
            "REJECT",
            "SUCCEEDED",
            "x".repeat(200),
            "x".repeat(70_000),
            PAIR.repeat(300),
            -101,
            -1,
            0,
            1,
            100,
            101,
            9_007_199_254_740_992L,
            1.0,
            1.5,
            true,
            new JsonObject(),
            new JsonObject().put("a", "b"),
            new JsonObject().put("a", 1),
            new JsonObject().put("code", "C").put("message", "m"),
            new JsonObject().put("done", 1).put("total", 2),
            new JsonObject().put("done", 1).put("stray", 2),
            new JsonArray(),
            new JsonArray().add("a"),
            new JsonArray().add("a").add("a"),
            new JsonArray().add(1));

    @AfterAll
    static void close() {
        Rig.join(vertx.close().toCompletionStage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "openapi.yaml",
                "compat/clusters.yaml",
                "compat/flows.yaml",
                "compat/ingestion.yaml",
                "compat/pipelines.yaml",
                "compat/workflows.yaml"
            })
    void whatIsRecognisedIsValid(String document) {
        OpenAPIContract contract = contract(document);
        for (Operation operation : contract.operations()) {
            operation.getParameters().forEach(parameter -> {
                Validator validator = contract.getSchemaRepository().validator(parameter.getSchema());
                compare(operation.getOperationId(), parameter.getSchema(), validator, VALUES);
            });
            body(operation).ifPresent(body -> {
                Validator validator = contract.getSchemaRepository().validator(body);
                compare(operation.getOperationId(), body, validator, VALUES);
                compare(operation.getOperationId(), body, validator, bodies(body));
            });
        }
    }

    @Test
    void whatIsSentMostOftenIsRecognised() {
        assertThat(match("startRun"))
                .accepts(new JsonObject()
                        .put("key", "a")
                        .put("job", "bench")
                        .put("execution", "caller")
                        .put("onConflict", "REJECT")
                        .put("priority", 5)
                        .put("lease", "5m")
                        .put("parameters", new JsonObject().put("any", 1))
                        .put("labels", new JsonObject().put("team", "finance")));
        assertThat(match("finishRun"))
                .accepts(new JsonObject().put("leaseId", UUID).put("token", 7).put("outcome", "SUCCEEDED"));
        assertThat(match("heartbeat"))
                .accepts(new JsonObject()
                        .put("leaseId", UUID)
                        .put("token", 7)
                        .put("progress", new JsonObject().put("done", 1).put("total", 2)));
    }

    @Test
    void aWordItDoesNotKnowRecognisesNothing() {
        JsonObject schema = new JsonObject().put("type", "string").put("format", "uuid");
        assertThat(SchemaMatch.of(JsonSchema.of(schema)).test(UUID)).isFalse();
        JsonObject around = new JsonObject().put("properties", new JsonObject().put("id", schema));
        assertThat(SchemaMatch.of(JsonSchema.of(around)).test(new JsonObject().put("id", UUID)))
                .isFalse();
        assertThat(SchemaMatch.of(JsonSchema.of(around)).test(new JsonObject().put("other", 1)))
                .isTrue();
    }

    @Test
    void otherFieldsAreAllowedUnlessTheSchemaSaysOtherwise() {
        JsonObject schema = new JsonObject()
                .put("type", "object")
                .put("properties", new JsonObject().put("id", new JsonObject().put("type", "string")));
        Validator validator = Validator.create(
                JsonSchema.of(schema),
                new JsonSchemaOptions()
                        .setBaseUri("app://test")
                        .setDraft(Draft.DRAFT202012)
                        .setOutputFormat(OutputFormat.Basic));
        compare("open", JsonSchema.of(schema), validator, bodies(JsonSchema.of(schema)));
        assertThat(SchemaMatch.of(JsonSchema.of(schema)).test(new JsonObject().put("stray", 1)))
                .isTrue();
        assertThat(SchemaMatch.of(JsonSchema.of(schema.put("additionalProperties", false)))
                        .test(new JsonObject().put("stray", 1)))
                .isFalse();
    }

    /** Bodies with each field at each value, alone and beside all that is required, and some that do not belong. */
    private static List<Object> bodies(JsonSchema schema) {
        JsonObject fields = schema.get("properties", new JsonObject());
        JsonObject needed = new JsonObject();
        for (Object name : schema.get("required", new JsonArray())) {
            needed.put((String) name, proper(fields.getValue((String) name)));
        }
        List<Object> bodies = new ArrayList<>(List.of(needed, needed.copy().put("stray", 1)));
        for (String name : fields.fieldNames()) {
            for (Object value : VALUES) {
                bodies.add(new JsonObject().put(name, value));
                bodies.add(needed.copy().put(name, value));
            }
        }
        return bodies;
    }

    private static Object proper(Object schema) {
        Predicate<Object> match = SchemaMatch.of(JsonSchema.of((JsonObject) schema));
        return VALUES.stream().filter(match).findFirst().orElse("a");
    }

    private static void compare(String operation, JsonSchema schema, Validator validator, List<Object> values) {
        Predicate<Object> match = SchemaMatch.of(schema);
        for (Object value : values) {
            if (match.test(value)) {
                assertThat(ValidationErrors.of(validator.validate(value)))
                        .as("%s: %s", operation, value)
                        .isEmpty();
            }
        }
    }

    private static Predicate<Object> match(String operation) {
        return SchemaMatch.of(
                body(contract("openapi.yaml").operation(operation)).orElseThrow());
    }

    private static Optional<JsonSchema> body(Operation operation) {
        return Optional.ofNullable(operation.getRequestBody())
                .flatMap(body -> Optional.ofNullable(body.getContent().get("application/json")))
                .map(MediaType::getSchema);
    }

    private static OpenAPIContract contract(String document) {
        return Rig.join(OpenAPIContract.from(vertx, ContractDocument.forRouting(ContractDocument.read(document)))
                .toCompletionStage());
    }
}

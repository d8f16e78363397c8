package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.YamlResource;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An operation of a compatible API, as its document has it.
 *
 * @param document where it is written
 * @param method in capitals
 * @param path with names in braces, the base of the document included
 * @param operation the rest
 */
record CompatRoute(JsonObject document, String method, String path, JsonObject operation) {

    /** All there are. */
    static Stream<CompatRoute> all() {
        return Stream.of("pipelines", "flows", "ingestion", "workflows", "clusters")
                .flatMap(CompatRoute::of);
    }

    private static Stream<CompatRoute> of(String api) {
        JsonObject document = YamlResource.object("compat/" + api + ".yaml");
        String base = document.getJsonArray("servers").getJsonObject(0).getString("url");
        return document.getJsonObject("paths").stream()
                .flatMap(path -> ((JsonObject) path.getValue())
                        .stream()
                                .map(method -> new CompatRoute(
                                        document,
                                        method.getKey().toUpperCase(Locale.ROOT),
                                        (base.equals("/") ? "" : base) + path.getKey(),
                                        (JsonObject) method.getValue())));
    }

    String id() {
        return operation.getString("operationId");
    }

    /** Whether its body is JSON whatever its sender calls it. */
    boolean takesAnyType() {
        return operation.getBoolean("x-any-type", false);
    }

    /** The parameters of a kind: {@code path}, {@code query} or {@code header}. */
    List<JsonObject> parameters(String in) {
        return operation.getJsonArray("parameters", new JsonArray()).stream()
                .map(each -> resolved((JsonObject) each))
                .filter(parameter -> parameter.getString("in").equals(in))
                .toList();
    }

    /** The schema of the body, if there is one. */
    Optional<JsonObject> body() {
        return Optional.ofNullable(operation.getJsonObject("requestBody"))
                .map(body -> resolved(body.getJsonObject("content")
                        .getJsonObject("application/json")
                        .getJsonObject("schema")));
    }

    /** The path with {@code value} for the parameter {@code name}, and what there is nothing of for the others. */
    String pathWith(String name, String value) {
        return path.replace("{" + name + "}", value).replaceAll("\\{[^}]*}", "x") + requiredQuery();
    }

    private String requiredQuery() {
        List<String> needed = parameters("query").stream()
                .filter(parameter -> parameter.getBoolean("required", false))
                .map(parameter -> parameter.getString("name") + "=x")
                .toList();
        return needed.isEmpty() ? "" : "?" + String.join("&", needed);
    }

    /** Fails unless {@code answer} says in the shape of this compatible API that something is wrong, and nothing of the inside. */
    void told(int status, Answer answer) {
        answer.is(status);
        assertThat(answer.response().body())
                .as(toString())
                .doesNotContain("Exception", "\tat ", "at io.", "java.", "io.vertx");
        JsonObject json = answer.json();
        switch (document.getString("x-errors")) {
            case "problem" -> {
                assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
                assertThat(json.getMap().keySet())
                        .contains("type", "title", "status", "detail", "instance", "code", "retryable");
                assertThat(json.getInteger("status")).isEqualTo(status);
            }
            case "error" -> {
                assertThat(json.getMap().keySet()).containsExactly("error");
                assertThat(json.getJsonObject("error").getString("code")).matches("[A-Z_]+");
                assertThat(json.getJsonObject("error").getString("message")).isNotBlank();
            }
            default -> {
                assertThat(json.getBoolean("success")).isFalse();
                assertThat(json.getString("error")).isNotBlank();
                assertThat(json.getString("details")).isNotBlank();
            }
        }
    }

    private JsonObject resolved(JsonObject written) {
        String elsewhere = written.getString("$ref");
        if (elsewhere == null) {
            return written;
        }
        JsonObject found = document;
        for (String step : elsewhere.substring(2).split("/", -1)) {
            found = found.getJsonObject(step);
        }
        return found;
    }

    /** The type a schema wants, if it wants one. */
    static Optional<Object> type(Map.Entry<String, Object> property) {
        return Optional.ofNullable(((JsonObject) property.getValue()).getValue("type"));
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}

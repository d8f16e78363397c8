package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.YamlResource;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contracts of compatible APIs can be read at the server. */
class CompatDocumentsTest {

    private static final CompatRig rig = CompatRig.on("memory:", PipelineApi.DOCUMENT, List.of());

    @AfterAll
    static void close() {
        rig.closeAll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pipelines", "flows", "ingestion", "workflows", "clusters"})
    void everyDoorHasItsDocument(String api) {
        Answer answer = read("/openapi/" + api + ".json").is(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        JsonObject document = answer.json();
        assertThat(document.getString("openapi")).startsWith("3.1");
        assertThat(document.getJsonObject("paths").fieldNames())
                .isEqualTo(YamlResource.object("compat/" + api + ".yaml")
                        .getJsonObject("paths")
                        .fieldNames());
        document.getJsonObject("paths")
                .forEach(path -> ((JsonObject) path.getValue())
                        .forEach(operation -> assertThat(((JsonObject) operation.getValue())
                                        .getJsonObject("responses")
                                        .fieldNames())
                                .as("what may go wrong at " + path.getKey())
                                .contains("400", "401", "403")));
    }

    @Test
    void theyAreListed() {
        assertThat(read("/openapi").is(200).json().getJsonArray("items").stream()
                        .map(item -> ((JsonObject) item).getString("url")))
                .containsExactlyInAnyOrder(
                        "/api/v1/openapi.json",
                        "/openapi/pipelines.json",
                        "/openapi/flows.json",
                        "/openapi/ingestion.json",
                        "/openapi/workflows.json",
                        "/openapi/clusters.json")
                .allSatisfy(url -> read(url).is(200));
        read("/openapi/windows.json").isProblem(404, "unknown-route");
        rig.post("/openapi/flows.json", (String) null, "{}").isProblem(405, "method-not-allowed");
    }

    private static Answer read(String path) {
        return rig.send(rig.request(path, null).GET().build());
    }
}

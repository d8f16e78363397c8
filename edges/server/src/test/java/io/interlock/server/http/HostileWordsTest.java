package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** SQL, scripts, paths and odd letters as keys and names: words like others, or a bad request; never anything more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileWordsTest {

    @TempDir
    static Path folder;

    private EngineRig rig;

    @BeforeAll
    void open() {
        rig = EngineRig.on("sqlite:" + folder.resolve("words.db"));
        rig.post("/runs", Role.WORKER, "{\"key\": \"bystander\", \"execution\": \"caller\", \"lease\": \"5m\"}")
                .is(201);
    }

    @AfterAll
    void othersAreUnharmed() {
        assertThat(rig.get("/runs?key=bystander&state=RUNNING", Role.READ)
                        .is(200)
                        .json()
                        .getJsonArray("items"))
                .hasSize(1);
        rig.closeAll();
    }

    static List<String> words() {
        return List.of(
                "'; DROP TABLE interlock_runs; --",
                "' OR '1'='1",
                "1; SELECT pg_sleep(10)",
                "\" UNION SELECT * FROM interlock_keys --",
                "%' ESCAPE '!",
                "%",
                "_",
                "\\",
                "*",
                "a*b",
                "${jndi:ldap://127.0.0.1/a}",
                "{{7*7}}",
                "<script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "javascript:alert(1)",
                "../../../etc/passwd",
                "..\\..\\windows",
                "/",
                "//",
                "./.",
                "a/../b",
                "%2e%2e%2f",
                "file:///etc/passwd",
                "\u0000",
                "line\nbreak",
                "tab\there",
                "\u2028",
                "\u202Eright to left",
                "\uFEFFbom",
                "\uD83D\uDE00",
                "e\u0301",
                "\u00e9",
                "\uD800",
                "NaN",
                "null",
                "true",
                "0",
                "-1",
                "9007199254740993",
                " ",
                " padded ",
                "x".repeat(512),
                "\u00e9".repeat(300),
                "acme:other",
                "other:bystander",
                "default");
    }

    @ParameterizedTest
    @MethodSource("words")
    void aKeyIsAWordOrABadRequest(String word) {
        JsonObject start = new JsonObject().put("key", word).put("execution", "caller");
        Answer started = rig.post("/runs", Role.WORKER, sent(start));
        assertThat(started.status()).as(started.response().body()).isIn(201, 400);
        if (started.status() == 201) {
            assertThat(started.text("key")).isEqualTo(word);
            Answer shown = rig.get("/runs/" + started.text("id"), Role.READ).is(200);
            assertThat(shown.text("key")).isEqualTo(word);
            if (!word.endsWith("*")) {
                String query = URLEncoder.encode(word, StandardCharsets.UTF_8);
                assertThat(rig.get("/runs?key=" + query, Role.READ)
                                .is(200)
                                .json()
                                .getJsonArray("items"))
                        .hasSize(1);
                JsonObject lock = rig.get("/locks?key=" + query, Role.READ)
                        .is(200)
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0);
                assertThat(lock.getString("key")).isEqualTo(word);
                assertThat(lock.getString("state")).isEqualTo("HELD");
            }
            rig.post("/runs", rig.key("other", Role.WORKER), sent(start)).is(201);
        }
    }

    @ParameterizedTest
    @MethodSource("words")
    void everyOtherTextIsAWordOrABadRequest(String word) {
        String key = "words/" + EngineRig.uuid();
        JsonObject start = new JsonObject()
                .put("key", key)
                .put("execution", "caller")
                .put("reason", word)
                .put("labels", new JsonObject().put("label", word))
                .put("parameters", new JsonObject().put(word, word));
        Answer started = rig.post("/runs", Role.WORKER, sent(start));
        assertThat(started.status()).as(started.response().body()).isIn(201, 400);
        if (started.status() == 201) {
            JsonObject shown =
                    rig.get("/runs/" + started.text("id"), Role.READ).is(200).json();
            assertThat(shown.getString("reason")).isEqualTo(word);
            assertThat(shown.getJsonObject("labels").getString("label")).isEqualTo(word);
            assertThat(shown.getJsonObject("parameters").getString(word)).isEqualTo(word);
        }
        fine(rig.post(
                "/runs",
                Role.TRIGGER,
                new JsonObject().put("key", key).put("job", word).encode()));
        fine(rig.post(
                "/runs",
                Role.TRIGGER,
                new JsonObject()
                        .put("key", "words/idempotent")
                        .put("job", "remote")
                        .put("onConflict", "SKIP")
                        .put("idempotencyKey", word)
                        .encode()));
        fine(rig.post(
                "/claims",
                Role.WORKER,
                new JsonObject()
                        .put("claimId", EngineRig.uuid())
                        .put("worker", word)
                        .put("jobs", List.of(word))
                        .put("max", 1)
                        .encode()));
        fine(rig.post(
                "/locks/acquire",
                Role.WORKER,
                new JsonObject()
                        .put("key", "words/" + EngineRig.uuid())
                        .put("leaseId", EngineRig.uuid())
                        .put("ttl", "2s")
                        .put("holder", word)
                        .encode()));
        String query = URLEncoder.encode(word, StandardCharsets.UTF_8);
        for (String path : List.of(
                "/runs?job=" + query,
                "/runs?since=" + query,
                "/runs?cursor=" + query,
                "/runs/" + query.replace("+", "%20"),
                "/audit?run=" + query,
                "/resources?key=" + query,
                "/locks?cursor=" + query,
                "/locks/validate?token=1&key=" + query)) {
            fine(rig.get(path, Role.OPERATOR));
        }
    }

    /** As JSON; half a pair can only be sent in JSON's own way of writing it. */
    private static String sent(JsonObject body) {
        return body.encode().replace("\uD800\"", "\\ud800\"");
    }

    private static void fine(Answer answer) {
        assertThat(answer.status()).as("%s", answer.response().body()).isLessThan(500);
        assertThat(answer.header("Content-Type")).doesNotContain("html");
    }
}

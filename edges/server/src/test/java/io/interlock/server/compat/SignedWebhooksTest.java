package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.engine.Job;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.run.Run;
import io.interlock.server.AwayStore;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Webhooks without an API key, and a store that is away. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignedWebhooksTest {

    private static final String BODY = "{\"amount\": 7}";

    private final Environment environment = Environment.system();
    private final WebhookSigner ours = signer("A");
    private final WebhookSigner theirs = signer("B");
    private final AwayStore store = new AwayStore(new MemoryStore(environment));
    private final CompatRig rig = new CompatRig(
            store.store(),
            WorkflowApi.DOCUMENT,
            List.of(
                    CompatRig.job(CompatApi.WORKFLOWS, Job.named("invoice").onConflict(ConflictPolicy.QUEUE), "stripe"),
                    CompatRig.job(CompatApi.WORKFLOWS, Job.named("other"), "other")),
            List.of(new TriggerSecret("stripe", "acme", ours), new TriggerSecret("stripe", "globex", theirs)));

    @AfterAll
    void close() {
        rig.closeAll();
    }

    @Test
    void theSecretSaysForWhichTenant() {
        Answer started = signed("stripe", ours, "evt_1", BODY).is(200);
        Run run = rig.engine.find(RunId.parse(started.text("executionId"))).orElseThrow();
        assertThat(run.key().encoded()).isEqualTo("acme:workflow/invoice");
        assertThat(run.spec().origin().submitter()).contains("webhook stripe");
        assertThat(signed("stripe", ours, "evt_1", BODY).is(200).json().getBoolean("duplicate"))
                .as("the message's id is the event's")
                .isTrue();
        String other = signed("stripe", theirs, "evt_1", BODY).is(200).text("executionId");
        assertThat(rig.engine.find(RunId.parse(other)).orElseThrow().key().tenant())
                .isEqualTo("globex");
    }

    @Test
    void whatIsSignedWronglyIsNobodys() {
        signed("stripe", signer("C"), "evt_2", BODY).is(401);
        List<String> headers = headers(ours, "evt_3", BODY);
        rig.post("/api/webhooks/stripe", (String) null, "{\"amount\": 8}", headers.toArray(String[]::new))
                .is(401);
        signed("other", ours, "evt_4", BODY).is(401);
        Answer unsigned = rig.post("/api/webhooks/stripe", (String) null, BODY).is(401);
        assertThat(unsigned.json().getBoolean("success")).isFalse();
    }

    @Test
    void whatWasSignedLongAgoIsNobodysAndAReplayStartsNothing() {
        for (Duration apart : List.of(Duration.ofMinutes(-6), Duration.ofMinutes(6))) {
            WebhookSigner elsewhere = new WebhookSigner(
                    List.of("whsec_" + "A".repeat(44)),
                    () -> environment.clock().instant().plus(apart));
            signed("stripe", elsewhere, "evt_6", BODY).is(401);
        }
        String[] headers = headers(ours, "evt_6", BODY).toArray(String[]::new);
        Answer first =
                rig.post("/api/webhooks/stripe", (String) null, BODY, headers).is(200);
        assertThat(first.json().getBoolean("duplicate")).isFalse();
        Answer replayed =
                rig.post("/api/webhooks/stripe", (String) null, BODY, headers).is(200);
        assertThat(replayed.json().getBoolean("duplicate")).isTrue();
        assertThat(replayed.text("executionId")).isEqualTo(first.text("executionId"));
    }

    @Test
    void aReplayIsKnownByWhatWasSignedWhateverElseItCarries() {
        List<String> headers = headers(ours, "evt_7", BODY);
        Answer first = rig.post("/api/webhooks/stripe", (String) null, BODY, headers.toArray(String[]::new))
                .is(200);
        headers.addAll(List.of("Idempotency-Key", "forged-1"));
        Answer replayed = rig.post("/api/webhooks/stripe", (String) null, BODY, headers.toArray(String[]::new))
                .is(200);
        assertThat(replayed.json().getBoolean("duplicate")).isTrue();
        assertThat(replayed.text("executionId")).isEqualTo(first.text("executionId"));
    }

    @Test
    void aKeyThatIsShownCountsAndTheSignatureDoesNot() {
        List<String> headers = headers(ours, "evt_5", BODY);
        rig.post("/api/webhooks/stripe", "wrong", BODY, headers.toArray(String[]::new))
                .is(401);
        String id = rig.post("/api/webhooks/stripe", rig.key(Role.TRIGGER), BODY, headers.toArray(String[]::new))
                .is(200)
                .text("executionId");
        assertThat(rig.engine.find(RunId.parse(id)).orElseThrow().key().tenant())
                .isEqualTo(CompatRig.TENANT);
    }

    @Test
    void aFaultIs500AndSaysNothingOfTheInside() {
        String key = rig.key(Role.TRIGGER);
        rig.post("/api/webhooks/stripe", key, "{\"eventId\": \"before\"}").is(200);
        store.away(true);
        try {
            Answer fault = rig.post("/api/webhooks/stripe", key, "{\"eventId\": \"during\"}")
                    .is(500);
            assertThat(fault.json())
                    .isEqualTo(new JsonObject()
                            .put("success", false)
                            .put("error", "The store does not answer; nothing was granted."));
            assertThat(fault.header("Retry-After")).isNotBlank();
        } finally {
            store.away(false);
        }
    }

    private Answer signed(String trigger, WebhookSigner signer, String id, String body) {
        return rig.post(
                "/api/webhooks/" + trigger,
                (String) null,
                body,
                headers(signer, id, body).toArray(String[]::new));
    }

    private static List<String> headers(WebhookSigner signer, String id, String body) {
        List<String> headers = new ArrayList<>();
        for (Map.Entry<String, String> header :
                signer.sign(id, body.getBytes(StandardCharsets.UTF_8)).entrySet()) {
            headers.add(header.getKey());
            headers.add(header.getValue());
        }
        return headers;
    }

    private WebhookSigner signer(String letter) {
        return new WebhookSigner(List.of("whsec_" + letter.repeat(44)), environment.clock());
    }
}

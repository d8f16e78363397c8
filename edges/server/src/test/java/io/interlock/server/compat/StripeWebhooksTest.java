package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.config.JobSettings;
import io.interlock.config.Work;
import io.interlock.engine.Job;
import io.interlock.engine.http.SignatureCheck.StripeSignature;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Webhooks as Stripe sends them, and senders that call the id of an event otherwise. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StripeWebhooksTest {

    private static final String SECRET = "whsec_of_stripe_0001";

    private final Environment environment = Environment.system();
    private final CompatRig rig = new CompatRig(
            new MemoryStore(environment),
            WorkflowApi.DOCUMENT,
            List.of(
                    CompatRig.job(
                            CompatApi.WORKFLOWS,
                            Job.named("invoice").onConflict(ConflictPolicy.QUEUE),
                            "stripe-payment"),
                    new JobSettings(
                            Job.named("deploy").onConflict(ConflictPolicy.QUEUE).build(),
                            CompatApi.WORKFLOWS,
                            new Work.Remote(),
                            null,
                            Map.of("push", 0),
                            "delivery.guid",
                            null),
                    CompatRig.job(CompatApi.WORKFLOWS, Job.named("busy").onConflict(ConflictPolicy.REJECT), "busy")),
            List.of(new TriggerSecret("stripe-payment", "acme", new StripeSignature(SECRET, environment.clock()))));

    @AfterAll
    void close() {
        rig.closeAll();
    }

    @Test
    void anEventStripeSendsAgainIsTheSameExecution() throws Exception {
        String body = "{\"id\": \"evt_1\", \"object\": \"event\", \"type\": \"payment_intent.succeeded\"}";
        Answer first = signed(body).is(200);
        assertThat(first.json().getBoolean("duplicate")).isFalse();
        assertThat(rig.engine
                        .find(RunId.parse(first.text("executionId")))
                        .orElseThrow()
                        .key()
                        .encoded())
                .isEqualTo("acme:workflow/invoice");
        Answer again = signed(body, "webhook-id", "forged", "Idempotency-Key", "forged")
                .is(200);
        assertThat(again.json().getBoolean("duplicate")).isTrue();
        assertThat(again.text("executionId")).isEqualTo(first.text("executionId"));
        assertThat(signed(body.replace("evt_1", "evt_2")).is(200).json().getBoolean("duplicate"))
                .isFalse();
    }

    @Test
    void whatStripeDidNotSignIsRefused() {
        rig.post("/api/webhooks/stripe-payment", (String) null, "{\"id\": \"evt_3\"}")
                .is(401);
        rig.post("/api/webhooks/stripe-payment", (String) null, "{}", "Stripe-Signature", "t=1,v1=00")
                .is(401);
    }

    @Test
    void theIdOfAnEventMayStandDeeperInTheBody() {
        String body = "{\"delivery\": {\"guid\": 4711}, \"eventId\": \"%s\"}";
        String first = push(body.formatted("a")).text("executionId");
        Answer again = push(body.formatted("b"));
        assertThat(again.text("executionId")).isEqualTo(first);
        assertThat(again.json().getBoolean("duplicate")).isTrue();
        assertThat(push("{\"delivery\": \"4711\"}").text("executionId")).isNotEqualTo(first);
    }

    @Test
    void anExecutionShowsForWhichUserItIs() {
        String id =
                push("{\"userId\": \"user_456\", \"delivery\": {\"guid\": 1}}").text("executionId");
        assertThat(rig.get("/api/executions/" + id, Role.READ).is(200).text("userId"))
                .isEqualTo("user_456");
        String other = push("{\"delivery\": {\"guid\": 2}}").text("executionId");
        assertThat(rig.get("/api/executions/" + other, Role.READ).is(200).json().containsKey("userId"))
                .isFalse();
        rig.post("/api/webhooks/push", Role.TRIGGER, "{\"userId\": {}}").is(400);
    }

    @Test
    void whoIsRefusedIsToldWhenToAskAgain() {
        rig.post("/api/webhooks/busy", Role.TRIGGER, "{}").is(200);
        Answer refused = rig.post("/api/webhooks/busy", Role.TRIGGER, "{}").is(409);
        assertThat(refused.header("Retry-After")).isEqualTo("5");
    }

    private Answer push(String body) {
        return rig.post("/api/webhooks/push", Role.TRIGGER, body).is(200);
    }

    private Answer signed(String body, String... more) throws Exception {
        long now = environment.clock().instant().getEpochSecond();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] signature = mac.doFinal((now + "." + body).getBytes(StandardCharsets.UTF_8));
        String[] headers = new String[more.length + 2];
        headers[0] = "Stripe-Signature";
        headers[1] = "t=" + now + ",v1=" + HexFormat.of().formatHex(signature);
        System.arraycopy(more, 0, headers, 2, more.length);
        return rig.post("/api/webhooks/stripe-payment", (String) null, body, headers);
    }
}

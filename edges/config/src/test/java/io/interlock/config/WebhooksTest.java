package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.config.EngineSetup.TriggerSecret;
import io.interlock.engine.http.SignatureCheck.StripeSignature;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets by which senders of webhooks are known. */
class WebhooksTest {

    private static final Environment ENVIRONMENT = Environment.system();
    private static final String SECRET = "whsec_" + "A".repeat(44);

    private static final String WORKFLOW = """
            interlock:
              store: "memory:"
              jobs:
                invoice: { api: workflows, triggers: [stripe-payment], run: { worker: remote } }
            """;

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    @Test
    void aSecretIsBoundToTenantAndTrigger() {
        Path file = written.file("secret", SECRET + "\n");
        Configuration configuration = written.read(WORKFLOW + """
              webhooks:
                - { trigger: stripe-payment, tenant: acme, secret-file: "%s" }
                - { trigger: stripe-payment, secret: %s }
            """.formatted(file, SECRET));
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = new WebhookSigner(List.of(SECRET), ENVIRONMENT.clock()).sign("evt_1", body);
        try (EngineSetup setup = EngineSetup.of(configuration, ENVIRONMENT)) {
            assertThat(setup.triggerSecrets()).extracting(TriggerSecret::tenant).containsExactly("acme", "default");
            assertThat(setup.triggerSecrets()).allSatisfy(known -> {
                assertThat(known.trigger()).isEqualTo("stripe-payment");
                assertThat(known.check().verify(headers::get, body)).isTrue();
            });
        }
        assertThat(configuration.settings().webhooks().toString()).doesNotContain(SECRET);
    }

    @Test
    void aSenderMaySignAsStripeDoesAndNameItsEventsItsOwnWay() {
        Configuration configuration = written.read("""
            interlock:
              store: "memory:"
              jobs:
                invoice: { api: workflows, triggers: [stripe-payment], event-id: data.object.id, run: { worker: remote } }
                other: { api: workflows, run: { worker: remote } }
              webhooks:
                - { trigger: stripe-payment, signature: stripe, secret: whsec_of_stripe_0001 }
            """);
        assertThat(Written.job(configuration, "invoice").eventId()).isEqualTo("data.object.id");
        assertThat(Written.job(configuration, "other").eventId()).isEqualTo("eventId");
        try (EngineSetup setup = EngineSetup.of(configuration, ENVIRONMENT)) {
            assertThat(setup.triggerSecrets())
                    .singleElement()
                    .extracting(TriggerSecret::check)
                    .isInstanceOf(StripeSignature.class);
        }
        assertThat(written.mistakesOfJob("{ api: flows, event-id: id, run: { worker: remote } }"))
                .hasMessageContaining("jobs.a.event-id is only for jobs with api: workflows");
        assertThat(written.mistakesOfJob("{ api: workflows, event-id: a..b, run: { worker: remote } }"))
                .hasMessageContaining("'a..b' is not a path");
    }

    @Test
    void anEventIsKnownForAtLeastThreeDays() {
        assertThat(written.read("interlock: {}").settings().history().idempotency())
                .isEqualTo(Duration.ofDays(3));
        assertThat(written.read("interlock: { history: { runs: 2d } }")
                        .settings()
                        .history()
                        .idempotency())
                .isEqualTo(Duration.ofDays(2));
        assertThat(written.read("interlock: { idempotency: { keep: 24h } }")
                        .settings()
                        .history()
                        .idempotency())
                .isEqualTo(Duration.ofDays(1));
    }

    @Test
    void mistakesAreToldAndSecretsAreNot() {
        ConfigurationException refused = written.mistakes(WORKFLOW + """
              webhooks:
                - { trigger: stripe-paiment, secret: %s }
                - { trigger: stripe-payment }
                - { secret: %s, tenant: "a b" }
            """.formatted(SECRET, SECRET));
        assertThat(refused)
                .hasMessageContaining("'stripe-paiment' starts no workflow")
                .hasMessageContaining("did you mean stripe-payment?")
                .hasMessageContaining("webhooks[1].secret-file")
                .hasMessageContaining("webhooks[2].trigger")
                .hasMessageContaining("webhooks[2].tenant");
        assertThat(refused.getMessage()).doesNotContain(SECRET);
    }

    @Test
    void aSecretThatIsNoneIsToldWithoutShowingIt() {
        Configuration configuration = written.read(WORKFLOW + """
              webhooks:
                - { trigger: stripe-payment, secret: hunter2 }
            """);
        ConfigurationException refused = catchThrowableOfType(
                ConfigurationException.class,
                () -> EngineSetup.of(configuration, ENVIRONMENT).close());
        assertThat(refused).hasMessageContaining("webhooks[0].secret-file").hasMessageContaining("whsec_");
        assertThat(refused.getMessage()).doesNotContain("hunter2");
    }
}

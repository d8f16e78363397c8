package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.engine.http.WebhookSigner;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
                invoice: { door: workflows, triggers: [stripe-payment], run: { worker: remote } }
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
                assertThat(known.signer().verify(headers::get, body)).isTrue();
            });
        }
        assertThat(configuration.settings().webhooks().toString()).doesNotContain(SECRET);
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

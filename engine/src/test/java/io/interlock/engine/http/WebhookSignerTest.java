package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.tck.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures that other libraries understand, and that cannot be made without the secret. */
class WebhookSignerTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);

    private final ManualTime time = new ManualTime(Instant.ofEpochSecond(1614265330));
    private final WebhookSigner signer = new WebhookSigner(List.of(SECRET), time.clock());

    @Test
    void aKnownMessageHasItsKnownSignature() {
        // The example of the specification's own libraries.
        assertThat(signer.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", BODY))
                .containsExactly(
                        Map.entry("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
                        Map.entry("webhook-timestamp", "1614265330"),
                        Map.entry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }

    @Test
    void whatWasSignedIsGoodAndWhatWasChangedIsNot() {
        Map<String, String> headers = signer.sign("a", BODY);
        assertThat(signer.verify(headers::get, BODY)).isTrue();
        assertThat(signer.verify(headers::get, "{}".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
        for (String header : headers.keySet()) {
            for (String wrong : new String[] {null, "", "b", "1614265331", "v1,AAAA", "v1,", "v1,???", "v2,x"}) {
                Map<String, String> changed = new HashMap<>(headers);
                changed.put(header, wrong);
                assertThat(signer.verify(changed::get, BODY))
                        .as("%s: %s", header, wrong)
                        .isFalse();
            }
        }
    }

    @Test
    void anotherSecretDoesNotFit() {
        WebhookSigner stranger = new WebhookSigner(List.of(OTHER), time.clock());
        assertThat(stranger.verify(signer.sign("a", BODY)::get, BODY)).isFalse();
    }

    @Test
    void whileASecretIsChangedBothFit() {
        WebhookSigner both = new WebhookSigner(List.of(OTHER, SECRET), time.clock());
        WebhookSigner newer = new WebhookSigner(List.of(OTHER), time.clock());
        Map<String, String> headers = both.sign("a", BODY);
        assertThat(headers.get("webhook-signature")).matches("v1,\\S+ v1,\\S+");
        assertThat(signer.verify(headers::get, BODY)).isTrue();
        assertThat(newer.verify(headers::get, BODY)).isTrue();
        assertThat(both.verify(signer.sign("a", BODY)::get, BODY)).isTrue();
    }

    @Test
    void anOldMessageOrOneFromTheFutureIsRefused() {
        Map<String, String> headers = signer.sign("a", BODY);
        time.advance(WebhookSigner.TOLERANCE);
        assertThat(signer.verify(headers::get, BODY)).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(signer.verify(headers::get, BODY)).isFalse();
        time.jumpClock(WebhookSigner.TOLERANCE.multipliedBy(2).plusSeconds(2).negated());
        assertThat(signer.verify(headers::get, BODY)).isFalse();
    }

    @Test
    void manySignaturesCostLittle() {
        Map<String, String> headers = signer.sign("a", BODY);
        headers.put("webhook-signature", "v1,AAAA ".repeat(10_000) + headers.get("webhook-signature"));
        assertThat(signer.verify(headers::get, BODY)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "whsec_", "secret", "whsec_c2hvcnQ=", "whsec_???", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
    void aWeakSecretIsRefusedWithoutShowingIt(String secret) {
        assertThatThrownBy(() -> new WebhookSigner(List.of(secret), time.clock()))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("secret '***' must be whsec_");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.b", "a b", "ü"})
    void anIdThatCouldBeMistakenIsRefused(String id) {
        assertThatThrownBy(() -> signer.sign(id, BODY)).isInstanceOf(InvalidSettingException.class);
    }
}

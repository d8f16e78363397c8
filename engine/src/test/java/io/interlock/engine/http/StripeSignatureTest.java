package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.engine.http.SignatureCheck.StripeSignature;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Stripe signs, held against a value computed with {@code openssl dgst -sha256 -hmac}. */
class StripeSignatureTest {

    private static final String SECRET = "whsec_test_secret_0001";
    private static final byte[] BODY = "{\"id\": \"evt_1\", \"object\": \"event\"}".getBytes(StandardCharsets.UTF_8);
    private static final Instant SENT = Instant.ofEpochSecond(1_492_774_577);
    private static final String RIGHT = "7e27d30c8a19a10f5dcb71d1bbc90cf5c33a23e980078e68d523c7bcfe734671";

    private final StripeSignature check = new StripeSignature(SECRET, InstantSource.fixed(SENT.plusSeconds(60)));

    @Test
    void whatWasSignedWithTheSecretIsGood() {
        assertThat(good("t=1492774577,v1=" + RIGHT)).isTrue();
        assertThat(good("t=1492774577, v1=" + "0".repeat(64) + ", v1=" + RIGHT + ", v0=" + RIGHT))
                .as("while the secret is changed there are two")
                .isTrue();
    }

    @Test
    void whatWasNotIsNot() {
        for (String wrong : List.of(
                "",
                "t=1492774577",
                "v1=" + RIGHT,
                "t=1492774578,v1=" + RIGHT,
                "t=1492774577,v0=" + RIGHT,
                "t=1492774577,v1=" + RIGHT.substring(2),
                "t=1492774577,v1=" + RIGHT.substring(1),
                "t=abc,v1=" + RIGHT)) {
            assertThat(good(wrong)).as(wrong).isFalse();
        }
        assertThat(check.verify(name -> null, BODY)).isFalse();
        assertThat(check.verify(name -> "t=1492774577,v1=" + RIGHT, "{}".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
    }

    @Test
    void whatWasSignedLongAgoIsNot() {
        for (Duration apart : List.of(Duration.ofMinutes(-6), Duration.ofMinutes(6))) {
            StripeSignature late = new StripeSignature(SECRET, InstantSource.fixed(SENT.plus(apart)));
            assertThat(late.verify(name -> "t=1492774577,v1=" + RIGHT, BODY)).isFalse();
        }
    }

    @Test
    void aSecretThatIsNoneIsRefusedAndNotShown() {
        assertThatThrownBy(() -> new StripeSignature("short", InstantSource.system()))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("5 characters; the least is 16")
                .hasMessageNotContaining("short");
        assertThat(check.toString()).doesNotContain(SECRET);
    }

    private boolean good(String header) {
        return check.verify(name -> name.equals("stripe-signature") ? header : null, BODY);
    }
}

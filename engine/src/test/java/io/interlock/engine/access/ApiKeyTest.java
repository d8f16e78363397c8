package io.interlock.engine.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import java.time.Instant;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApiKeyTest {

    private final Random random = new Random(1);

    @Test
    void aKeyIsReadAsItWasWritten() {
        ApiKey key = ApiKey.draw(random);
        assertThat(key.text()).matches("ilk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}");
        ApiKey read = ApiKey.parse(key.text()).orElseThrow();
        assertThat(read.id()).isEqualTo(key.id());
        assertThat(read.hash()).isEqualTo(key.hash()).matches("[0-9a-f]{64}");
    }

    @Test
    void oneWrongCharacterAnywhereIsNoticedWithoutTheStore() {
        String text = ApiKey.draw(random).text();
        for (int i = 0; i < text.length(); i++) {
            char other = text.charAt(i) == 'x' ? 'y' : 'x';
            assertThat(ApiKey.parse(text.substring(0, i) + other + text.substring(i + 1)))
                    .as("character %d", i)
                    .isEmpty();
        }
        assertThat(ApiKey.parse(text + " ")).isEmpty();
        assertThat(ApiKey.parse("")).isEmpty();
    }

    @Test
    void aSecretHas256BitsAndAllOfThemCount() {
        Set<String> secrets = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            secrets.add(ApiKey.draw(random).text().split("_", -1)[2]);
        }
        assertThat(secrets).hasSize(1_000).allMatch(secret -> secret.length() == 43);
        assertThat(Math.pow(62, 43)).isGreaterThanOrEqualTo(Math.pow(2, 256));
    }

    @Test
    void onlyTheRightSecretOpens() {
        ApiKey key = ApiKey.draw(random);
        ApiKey other = ApiKey.draw(random);
        assertThat(key.opens(kept(key.id(), key.hash()))).isTrue();
        assertThat(key.opens(kept(key.id(), other.hash()))).isFalse();
        assertThat(key.opens(kept(other.id(), key.hash()))).isFalse();
    }

    @Test
    void nobodyReadsTheSecretByAccident() {
        ApiKey key = ApiKey.draw(random);
        String secret = key.text().split("_", -1)[2];
        assertThat(key.toString()).contains(key.id()).doesNotContain(secret);
        assertThat(new KeyRing.IssuedKey(key, kept(key.id(), key.hash())).toString())
                .doesNotContain(secret, key.hash());
    }

    @Test
    void onlyBootstrapKeysLookLikeOne() {
        assertThat(ApiKey.isBootstrap(ApiKey.drawBootstrap(random).id())).isTrue();
        for (int i = 0; i < 1_000; i++) {
            assertThat(ApiKey.isBootstrap(ApiKey.draw(random).id())).isFalse();
        }
        assertThat(ApiKey.parse(ApiKey.drawBootstrap(random).text())).isPresent();
    }

    private static AccessKey kept(String id, String hash) {
        return new AccessKey(id, "acme", Role.READ, "test", hash, Instant.EPOCH, null, null);
    }
}

package io.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {

    private static final String[] PIECES = {
        ":", "/", "\\", "%", "'", "\"", " ", "..", "a", "A", "0", "ä", "ß", "İ", "ﬀ", "漢", "\uFFFD", "😀", "\uE000",
        "\u200B", "-", "_", ".", "{", "}", "*", "?", "~", "$", "--", "default", "tenant:"
    };

    @Test
    void differentKeysHaveDifferentEncodingsAndComeBackUnchanged() {
        Random random = new Random(1);
        Map<String, LockKey> seen = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            LockKey key = randomKey(random).orElse(null);
            if (key == null) {
                continue;
            }
            LockKey before = seen.put(key.encoded(), key);
            assertThat(before == null || before.equals(key)).isTrue();
            assertThat(LockKey.decode(key.encoded())).isEqualTo(key);
        }
        assertThat(seen.size()).isGreaterThan(10_000);
    }

    @Test
    void theirOrderIsThatOfTheirBytes() {
        Random random = new Random(2);
        for (int i = 0; i < 50_000; i++) {
            Optional<LockKey> a = randomKey(random);
            Optional<LockKey> b = randomKey(random);
            if (a.isPresent() && b.isPresent()) {
                assertThat(Integer.signum(a.get().compareTo(b.get())))
                        .as("%s and %s", a.get(), b.get())
                        .isEqualTo(Integer.signum(byBytes(a.get(), b.get())));
            }
        }
    }

    @Test
    void ordersBeyondTheBasicPlaneLikeUtf8AndNotLikeUtf16() {
        assertThat(LockKey.of("\uFFFD")).isLessThan(LockKey.of("😀"));
        assertThat(LockKey.of("a")).isLessThan(LockKey.of("aa"));
        assertThat(LockKey.of("a", "z")).isLessThan(LockKey.of("b", "a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\0b", "\u007f", "\u0085", "\u2028", "\u2029", "\ud83d", "e\u0301"})
    void refusesNamesThatLookLikeOthersOrHide(String name) {
        assertThatThrownBy(() -> LockKey.of(name)).isInstanceOf(InvalidKeyException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", ".a", "a:b", "a/b", "ä", "a b", "a\n"})
    void refusesTenantsThatAreNoPlainIdentifier(String tenant) {
        assertThatThrownBy(() -> LockKey.of(tenant, "x"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("tenant");
    }

    @Test
    void countsItsLimitsInBytes() {
        assertThat(LockKey.of("ä".repeat(256)).name()).hasSize(256);
        assertThatThrownBy(() -> LockKey.of("ä".repeat(256) + "a"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("513 bytes; the limit is 512");
        assertThat(LockKey.of("t".repeat(64), "x").tenant()).hasSize(64);
        assertThatThrownBy(() -> LockKey.of("t".repeat(65), "x")).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void itsErrorsAreOneShortLine() {
        assertThatThrownBy(() -> LockKey.of("a\nforged log line" + "x".repeat(5000)))
                .isInstanceOfSatisfying(InvalidKeyException.class, invalid -> {
                    assertThat(invalid.getMessage()).doesNotContain("\n").hasSizeLessThan(400);
                    assertThat(invalid.value()).startsWith("a\n");
                });
        assertThatThrownBy(() -> LockKey.decode("nocolon")).hasMessageContaining("tenant:name");
    }

    private static Optional<LockKey> randomKey(Random random) {
        String tenant = random.nextBoolean() ? "default" : "t" + random.nextInt(3);
        StringBuilder name = new StringBuilder();
        for (int length = 1 + random.nextInt(4); length > 0; length--) {
            name.append(PIECES[random.nextInt(PIECES.length)]);
        }
        try {
            return Optional.of(LockKey.of(tenant, name.toString()));
        } catch (InvalidKeyException notNormal) {
            return Optional.empty();
        }
    }

    private static int byBytes(LockKey a, LockKey b) {
        int byTenant = Arrays.compareUnsigned(bytes(a.tenant()), bytes(b.tenant()));
        return byTenant != 0 ? byTenant : Arrays.compareUnsigned(bytes(a.name()), bytes(b.name()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

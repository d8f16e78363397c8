package io.interlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisSettingsTest {

    @Test
    void everythingHasADefaultButTheHost() {
        RedisSettings settings = parse("redis://cache");
        assertThat(settings.address()).isEqualTo(new RedisSettings.Address(false, "cache", 6379, 0, null, null));
        assertThat(settings.common().prefix()).isEqualTo("interlock");
        assertThat(settings.common().maxLease()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.common().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.waitReplicas()).isZero();
        assertThat(parse("redis://my_cache:1/").address().host()).isEqualTo("my_cache");
    }

    @Test
    void everythingCanBeSaid() {
        RedisSettings settings =
                parse("rediss://a%3Ann:a%40b%2Fc+:d@[::1]:7000/3?prefix=p&maxLease=1m&timeout=2s&waitReplicas=1");
        assertThat(settings.address()).isEqualTo(new RedisSettings.Address(true, "::1", 7000, 3, "a:nn", "a@b/c+:d"));
        assertThat(settings.displayName()).isEqualTo("rediss://[::1]:7000/3 (prefix p)");
        assertThat(settings.waitReplicas()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:hush@host",
                "redis://hush@host",
                "redis://:hush@/0",
                "redis://:hush@host/zero",
                "redis://:hush@host:1/0#x",
                "redis://:hush@host:1/-1",
                "redis://:hush@host:0",
                "redis://:hush@host:65536"
            })
    void aBrokenUrlIsNotRepeatedWithItsSecret(String url) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("is not the URL of a Redis")
                .hasMessageNotContaining("hush");
    }

    @Test
    void aPasswordThatShouldHaveBeenEncodedIsNotRepeated() {
        assertThatThrownBy(() -> parse("redis://:hush/x@host:port"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("percent-encode")
                .hasMessageNotContaining("hush");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefix=a:b",
                "prefix=",
                "maxLease=1s",
                "maxLease=31d",
                "timeout=1ms",
                "waitReplicas=-1",
                "waitReplicas=101",
                "firstUse=yes",
                "prefix=%zz",
                "colour=blue"
            })
    void optionsOutsideTheirLimitsAreRefused(String option) {
        assertThatThrownBy(() -> parse("redis://cache?" + option)).isInstanceOf(InvalidSettingException.class);
    }

    private static RedisSettings parse(String url) {
        return RedisSettings.of(StoreUrl.parse(url));
    }
}

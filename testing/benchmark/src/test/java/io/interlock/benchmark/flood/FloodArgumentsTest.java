package io.interlock.benchmark.flood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be typed after {@code ./interlock flood}. */
class FloodArgumentsTest {

    @Test
    void bothStoresAndAHundredConnectionsUnlessSaid() {
        assertThat(FloodArguments.parse())
                .isEqualTo(new FloodArguments(List.of("sqlite", "postgres"), 100, Duration.ofSeconds(30), 20_000));
        assertThat(FloodArguments.parse(
                        "--store", "sqlite", "--connections", "600", "--seconds", "2", "--history", "0"))
                .isEqualTo(new FloodArguments(List.of("sqlite"), 600, Duration.ofSeconds(2), 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--store redis", "--connections 0", "--seconds soon", "--history -1", "--fast 1", "--store"})
    void whatMakesNoSenseIsNamed(String words) {
        assertThatThrownBy(() -> FloodArguments.parse(words.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words.split(" ", -1)[0]);
    }
}

package io.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WordsTest {

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "30s, PT30S",
        "30 s, PT30S",
        "5m, PT5M",
        "2h, PT2H",
        "1d, PT24H",
        "PT1M30S, PT1M30S",
        "' 7s ', PT7S"
    })
    void readsDurations(String text, Duration duration) {
        assertThat(DurationText.parse("ttl", text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-5s", "5 minutes", "1.5s", "9999999999999s", "5S"})
    void refusesWhatIsNoDuration(String text) {
        assertThatThrownBy(() -> DurationText.parse("ttl", text))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("ttl '" + text + "' is not a duration")
                .hasMessageContaining("30s");
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0ms",
        "PT0.34S, 340ms",
        "PT12S, 12s",
        "PT65S, 1m 5s",
        "PT1H, 1h",
        "PT1H5M, 1h 5m",
        "PT49H, 2d 1h",
        "PT-5S, -5s"
    })
    void writesTheTwoLargestParts(Duration duration, String text) {
        assertThat(DurationText.format(duration)).isEqualTo(text);
    }

    @Test
    void tokensFitIntoJsonAndHaveAnOrder() {
        FencingToken small = new FencingToken(1);
        FencingToken great = new FencingToken(FencingToken.MAX_VALUE);
        assertThat(great.isAfter(small)).isTrue();
        assertThat(small.isAfter(small)).isFalse();
        assertThat(small).isLessThan(great);
        assertThat((long) (double) FencingToken.MAX_VALUE).isEqualTo(FencingToken.MAX_VALUE);
        assertThat(great).hasToString("9007199254740991");
        assertThatThrownBy(() -> new FencingToken(0)).isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> new FencingToken(FencingToken.MAX_VALUE + 1))
                .hasMessageContaining("must be from 1 to");
    }

    @Test
    void idsComeBackFromTheirText() {
        Random random = new Random(3);
        LeaseId lease = LeaseId.random(random);
        assertThat(LeaseId.parse(lease.toString())).isEqualTo(lease);
        RunId run = RunId.create(InstantSource.fixed(Instant.ofEpochMilli(1_800_000_000_000L)), random);
        assertThat(RunId.parse(run.toString())).isEqualTo(run);
        assertThat(run.value().version()).isEqualTo(7);
        assertThat(run.value().variant()).isEqualTo(2);
        RunId later = RunId.create(InstantSource.fixed(Instant.ofEpochMilli(1_800_000_000_001L)), random);
        assertThat(later.toString()).isGreaterThan(run.toString());
    }

    @Test
    void holdersSayWhoTheyAreInOneLine() {
        assertThatThrownBy(() -> new Holder("i", "two\nlines")).isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> new Holder(" ", "label")).hasMessageContaining("holder instance");
        assertThatThrownBy(() -> new Holder("i", "x".repeat(201))).hasMessageContaining("the limit is 200");
    }
}

package io.interlock.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FactsTest {

    @Test
    void holdsOnlyWhatEveryJsonLibraryWrites() {
        Facts facts = Facts.with("at", Instant.parse("2026-11-15T02:00:00Z"))
                .and("took", Duration.ofNanos(1_500_000_999))
                .and("enum", Thread.State.NEW)
                .and("count", 3)
                .and("nested", Facts.with("yes", true))
                .and("list", List.of(Facts.with("id", 1), Facts.with("id", 2)));
        assertThat(facts.map())
                .containsExactly(
                        Map.entry("at", "2026-11-15T02:00:00.000Z"),
                        Map.entry("took", "PT1.5S"),
                        Map.entry("enum", "NEW"),
                        Map.entry("count", 3),
                        Map.entry("nested", Map.of("yes", true)),
                        Map.entry("list", List.of(Map.of("id", 1), Map.of("id", 2))));
    }

    @Test
    void leavesOutWhatIsNullUnlessTheFieldMustBeThere() {
        Facts facts = Facts.with("missing", null)
                .and("none", (String) null, String::length)
                .orNull("token", null);
        assertThat(facts.map()).containsOnlyKeys("token");
        assertThat(facts.text("token")).isEmpty();
        assertThat(facts.shown("token")).isEmpty();
        assertThat(facts.number("token")).isEmpty();
    }

    @Test
    void isReadByName() {
        Facts facts = Facts.with("left", Duration.ofSeconds(30))
                .and("since", Instant.EPOCH)
                .and("alive", true)
                .and("holder", Facts.with("runId", "r1"))
                .and("items", Arrays.asList(Facts.with("id", 1), "text"));
        assertThat(facts.duration("left")).contains(Duration.ofSeconds(30));
        assertThat(facts.time("since")).contains(Instant.EPOCH);
        assertThat(facts.is("alive")).isTrue();
        assertThat(facts.is("holder")).isFalse();
        assertThat(facts.in("holder").shown("runId")).isEqualTo("r1");
        assertThat(facts.in("nowhere").isEmpty()).isTrue();
        assertThat(facts.list("items")).containsExactly(Facts.with("id", 1));
    }
}

package io.interlock.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaintenanceWindowTest {

    // 2026-01-02 is a Friday.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            22:00 - 06:00                                       | 2026-01-02T05:59:59Z | 2026-01-01T22:00:00Z | 2026-01-02T06:00:00Z
            08:00 - 18:00                                       | 2026-01-02T08:00:00Z | 2026-01-02T08:00:00Z | 2026-01-02T18:00:00Z
            Mon-Fri 22:00 - 6:00                                | 2026-01-03T01:00:00Z | 2026-01-02T22:00:00Z | 2026-01-03T06:00:00Z
            Sat - Sun 00:00-00:00                               | 2026-01-04T23:00:00Z | 2026-01-04T00:00:00Z | 2026-01-05T00:00:00Z
            fri 18:00 - monday 06:00                            | 2026-01-05T05:00:00Z | 2026-01-02T18:00:00Z | 2026-01-05T06:00:00Z
            Fri 18:00 - Mon 06:00 Europe/Berlin                 | 2026-01-02T17:00:00Z | 2026-01-02T17:00:00Z | 2026-01-05T05:00:00Z
            Mon 08:00 - Mon 06:00                               | 2026-01-05T05:00:00Z | 2025-12-29T08:00:00Z | 2026-01-05T06:00:00Z
            2026-01-01 12:00 - 2026-01-27 06:00 America/New_York | 2026-01-20T12:00:00Z | 2026-01-01T17:00:00Z | 2026-01-27T11:00:00Z
            """)
    void covers(String text, Instant time, Instant start, Instant end) {
        assertThat(MaintenanceWindow.parse(text).at(time)).contains(new MaintenanceWindow.Span(start, end));
        assertThat(MaintenanceWindow.parse(text).at(end).map(MaintenanceWindow.Span::start))
                .as("its end is outside")
                .isNotEqualTo(Optional.of(start));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            22:00 - 06:00                       | 2026-01-02T22:00:00Z | 2026-01-03T22:00:00Z
            Mon-Fri 22:00 - 06:00               | 2026-01-02T22:00:00Z | 2026-01-05T22:00:00Z
            Fri 18:00 - Mon 06:00               | 2026-01-02T18:00:00Z | 2026-01-09T18:00:00Z
            2026-01-10 12:00 - 2026-01-27 06:00 | 2025-06-01T00:00:00Z | 2026-01-10T12:00:00Z
            """)
    void knowsItsNextBeginning(String text, Instant after, Instant next) {
        assertThat(MaintenanceWindow.parse(text).nextStart(after)).contains(next);
        assertThat(MaintenanceWindow.parse(text).at(after.minusSeconds(3600 * 5)))
                .isEmpty();
    }

    @Test
    void oneThatIsOverDoesNotComeAgain() {
        MaintenanceWindow once = MaintenanceWindow.parse("2026-01-10 12:00 - 2026-01-27 06:00");
        assertThat(once.at(Instant.parse("2026-01-27T06:00:00Z"))).isEmpty();
        assertThat(once.nextStart(Instant.parse("2026-01-10T12:00:00Z"))).isEmpty();
    }

    @Test
    void whereClocksAreChangedItIsRatherLonger() {
        MaintenanceWindow spring = MaintenanceWindow.parse("02:30 - 05:00 Europe/Berlin");
        assertThat(spring.at(Instant.parse("2026-03-29T02:00:00Z")))
                .as("02:30 does not come; it begins when the clocks are put forward")
                .contains(new MaintenanceWindow.Span(
                        Instant.parse("2026-03-29T01:00:00Z"), Instant.parse("2026-03-29T03:00:00Z")));
        MaintenanceWindow autumn = MaintenanceWindow.parse("02:30 - 02:45 Europe/Berlin");
        assertThat(autumn.at(Instant.parse("2026-10-25T01:00:00Z")))
                .as("from the first 02:30 to the second 02:45")
                .contains(new MaintenanceWindow.Span(
                        Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-25T01:45:00Z")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            weekends                            | is no maintenance window
            22:00                               | is no maintenance window
            25:00 - 06:00                       | has '25:00', which is not a time
            Fry 18:00 - Mon 06:00               | has 'Fry', which is not one of Mon
            T 18:00 - Mon 06:00                 | has 'T', which is not one of Mon
            Mon-Fri 18:00 - Mon 06:00           | begins on several days and names one on which it ends
            00:00 - 00:00                       | never ends
            Mon 06:00 - Mon 06:00               | never ends
            22:00 - 06:00 Berlin                | has 'Berlin', which is not a known time zone
            2026-02-30 10:00 - 2026-03-02 10:00 | has '2026-02-30', which is not a day
            2026-01-02 10:00 - 2026-01-02 10:00 | ends before it begins
            """)
    void whatIsWrongIsSaid(String text, String why) {
        assertThatThrownBy(() -> MaintenanceWindow.parse(text))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("no-start '" + text + "' " + why)
                .hasMessageContaining("Fri 18:00 - Mon 06:00");
        assertThatThrownBy(() -> MaintenanceWindow.parse(" x".repeat(1000))).hasMessageContaining("1999 characters");
    }
}

package io.interlock.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FireTimesTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 3 * * *       | 2026-01-01T03:00:00Z | 2026-01-02T03:00:00Z
            */20 * * * *    | 2026-01-01T00:20:00Z | 2026-01-01T00:40:00Z
            0 0 29 2 *      | 2028-02-29T00:00:00Z | 2032-02-29T00:00:00Z
            30 6 * * mon-fri| 2026-01-01T06:30:00Z | 2026-01-02T06:30:00Z
            0 0 13 * 5      | 2026-01-02T00:00:00Z | 2026-01-09T00:00:00Z
            @hourly         | 2026-01-01T01:00:00Z | 2026-01-01T02:00:00Z
            @daily          | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z
            @Weekly         | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z
            @monthly        | 2026-02-01T00:00:00Z | 2026-03-01T00:00:00Z
            @yearly         | 2027-01-01T00:00:00Z | 2028-01-01T00:00:00Z
            """)
    void namesTimes(String expression, Instant first, Instant second) {
        assertThat(times(FireTimes.parse(expression), "2026-01-01T00:00:00Z", 2))
                .containsExactly(first, second);
    }

    @Test
    void aTimeThatDoesNotComeInSpringComesAtTheChange() {
        assertThat(local("30 2 * * *", "2026-03-28T00:00:00Z", 3))
                .containsExactly("2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
        assertThat(local("*/20 2 * * *", "2026-03-28T12:00:00Z", 2))
                .as("once, not three times")
                .containsExactly("2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00");
    }

    @Test
    void whatGoesByTheHourIsNotHeldUpInSpring() {
        assertThat(local("15 * * * *", "2026-03-29T00:00:00Z", 3))
                .containsExactly("2026-03-29T01:15+01:00", "2026-03-29T03:15+02:00", "2026-03-29T04:15+02:00");
        assertThat(local("0 3 * * *", "2026-03-28T12:00:00Z", 2))
                .as("once at three")
                .containsExactly("2026-03-29T03:00+02:00", "2026-03-30T03:00+02:00");
    }

    @Test
    void aTimeThatComesTwiceInAutumnCountsOnce() {
        assertThat(local("30 2 * * *", "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
        assertThat(local("30 2 * * *", "2026-10-25T01:10:00Z", 1))
                .as("also for a schedule that begins between the two")
                .containsExactly("2026-10-26T02:30+01:00");
        assertThat(local("0,30 1-3 * * *", "2026-10-25T00:15:00Z", 3))
                .containsExactly("2026-10-25T02:30+02:00", "2026-10-25T03:00+01:00", "2026-10-25T03:30+01:00");
    }

    @Test
    void whatGoesByTheMinuteGoesOnInAutumn() {
        assertThat(local("*/20 * * * *", "2026-10-25T00:20:00Z", 4))
                .containsExactly(
                        "2026-10-25T02:40+02:00",
                        "2026-10-25T02:00+01:00",
                        "2026-10-25T02:20+01:00",
                        "2026-10-25T02:40+01:00");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            61 * * * *   | character 1, field 1 (minute) '61'       | 61 not in range [0, 59]
            0 24 * * *   | character 3, field 2 (hour) '24'         | 24 not in range [0, 23]
            0  3 32 * *  | character 6, field 3 (day of month) '32' | 32 not in range [1, 31]
            0 3 * 13 *   | character 7, field 4 (month) '13'        | 13 not in range [1, 12]
            0 3 * * 8    | character 9, field 5 (day of week) '8'   | 8 not in range [0, 7]
            0 3 * * MOO  | character 9, field 5 (day of week) 'MOO' | MOO
            */0 * * * *  | character 1, field 1 (minute) '*/0'      | Period 0
            5-1 * * * *  | field 1 (minute) '5-1'                   | Invalid range
            0 0 L * *    | field 3 (day of month) 'L'               | L
            0 3 * *      | has 4 fields                             | must have 5
            0 0 3 * * *  | has 6 fields                             | must have 5
            0 0 31 2 *   | names a day that never comes             | 0 0 31 2
            @fortnightly | not one of @hourly                       | @fortnightly
            """)
    void whatIsWrongIsSaidWithItsPlace(String expression, String where, String why) {
        assertThatThrownBy(() -> FireTimes.parse(expression))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("schedule '" + expression + "'")
                .hasMessageContaining(where)
                .hasMessageContaining(why)
                .hasMessageContaining("\"0 3 * * *\" for 03:00 every day");
    }

    @ParameterizedTest
    @CsvSource({"0 0 30 2 *, Europe/Berlin", "0 0 31 4 *, America/New_York", "30 2 30 2 *, Europe/Berlin"})
    void aDayThatNeverComesIsRefusedWhereClocksAreChangedToo(String expression, String zone) {
        assertThatThrownBy(() -> FireTimes.parse(expression, ZoneId.of(zone)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("names a day that never comes");
    }

    @Test
    void nothingAndTooMuchAreWrong() {
        assertThatThrownBy(() -> FireTimes.parse("  ")).hasMessageContaining("has 0 fields");
        assertThatThrownBy(() -> FireTimes.parse("*".repeat(1000)))
                .hasMessageContaining("1000 characters")
                .hasMessageContaining("200");
    }

    private static List<Instant> times(FireTimes times, String after, int count) {
        List<Instant> found = new ArrayList<>();
        Optional<Instant> next = times.next(Instant.parse(after));
        while (found.size() < count && next.isPresent()) {
            found.add(next.get());
            next = times.next(next.get());
        }
        return found;
    }

    private static List<String> local(String expression, String after, int count) {
        return times(FireTimes.parse(expression, BERLIN), after, count).stream()
                .map(time ->
                        ZonedDateTime.ofInstant(time, BERLIN).toOffsetDateTime().toString())
                .toList();
    }
}

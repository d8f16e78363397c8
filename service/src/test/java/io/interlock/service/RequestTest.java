package io.interlock.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.Actor;
import io.interlock.LockKey;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RequestTest {

    @Test
    void aValueIsWhatItsTextStandsFor() {
        assertThat(asking("limit", "7").limit()).isEqualTo(7);
        assertThat(asking("limit", 7L).limit()).isEqualTo(7);
        assertThat(asking("output", "true").is("output")).isTrue();
        assertThat(asking("output", true).is("output")).isTrue();
        assertThat(asking("state", "DEAD").words("state", String::valueOf)).containsExactly("DEAD");
        assertThat(asking("state", List.of("DEAD", "FAILED")).words("state", String::valueOf))
                .containsExactlyInAnyOrder("DEAD", "FAILED");
    }

    @Test
    void aStarNamesAllKeysThatBeginSo() {
        assertThat(asking("key", "ledger/1").keysAsked())
                .isEqualTo(new Request.Keys(LockKey.of("acme", "ledger/1"), ""));
        assertThat(asking("key", "ledger/*").keysAsked()).isEqualTo(new Request.Keys(null, "ledger/"));
        assertThat(asking("job", "close").keysAsked()).isEqualTo(new Request.Keys(null, ""));
        refused("query/key", () -> asking("key", "a\nb").keysAsked());
    }

    @Test
    void aCursorIsOfOneListing() {
        String cursor = Request.cursorOf("runs", 42);
        assertThat(asking("cursor", cursor).cursorNumber("runs")).isEqualTo(42);
        assertThat(asking("job", "close").cursorNumber("runs")).isZero();
        for (String other : List.of(Request.cursorOf("locks", 42), Request.cursorOf("runs", "a"), cursor + "=", "?")) {
            refused("query/cursor", () -> asking("cursor", other).cursorNumber("runs"));
        }
    }

    @Test
    void aFieldThatCannotBeReadIsRefusedByItsPlace() {
        assertThat(telling("lease", Duration.ofSeconds(30)).duration("lease")).contains(Duration.ofSeconds(30));
        assertThat(telling("key", "a").duration("lease")).isEmpty();
        refused("/lease", () -> telling("lease", "soon").duration("lease"));
        refused("/lease", () -> telling("lease", "4000d").duration("lease"));
        refused("/lease", () -> telling("lease", "PT9999999999999999S").duration("lease"));
        refused("query/label", () -> asking("label", "team").label());
    }

    private static void refused(String place, ThrowingCallable reading) {
        Problem refusal = catchThrowableOfType(Problem.class, reading);
        assertThat(refusal.code()).isEqualTo("invalid-request");
        assertThat(refusal.facts().list("errors"))
                .first()
                .satisfies(mistake -> assertThat(mistake.shown("pointer")).isEqualTo(place));
    }

    private static Request asking(String name, Object value) {
        return new Request("acme", Actor.of("olga"), Facts.with(name, value), Facts.none());
    }

    private static Request telling(String name, Object value) {
        return new Request("acme", Actor.of("olga"), Facts.none(), Facts.with(name, value));
    }
}

package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.access.SignIn;
import io.interlock.access.SignIn.Person;
import io.interlock.access.SignIns;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Storing sign-ins with a browser. */
interface SignInsContract extends RunContract {

    private SignIns signIns() {
        return client().store().signIns();
    }

    private static String hash(int number) {
        return String.format("%064x", number);
    }

    private SignIn open(int number, String key) {
        return signIns().openSignIn(SignIn.of(hash(number), key, null));
    }

    @Test
    default void aSignInIsKeptWithTheTimeOfTheStore() {
        SignIn kept = open(1, "abcd1234");
        assertThat(kept.openedAt())
                .as("the time of the store")
                .isAfter(SignIn.of(hash(1), "x", null).openedAt());
        assertThat(kept.usedAt()).isEqualTo(kept.openedAt());
        assertThat(signIns().findSignIn(hash(1), false)).contains(kept);
        assertThat(signIns().findSignIn(hash(2), true)).isEmpty();
        assertThat(open(1, "abcd1234")).as("the same again").isEqualTo(kept);
    }

    @Test
    default void aPersonIsKeptWithTheRolesInEachTenant() {
        Person carol = new Person("Carol Öhm", new TreeMap<>(Map.of("acme", Role.OPERATOR, "globex-2.x", Role.READ)));
        SignIn kept = signIns().openSignIn(SignIn.of(hash(1), "person1234", carol));
        assertThat(kept.person()).isEqualTo(carol);
        assertThat(signIns().findSignIn(hash(1), true).orElseThrow().person()).isEqualTo(carol);
    }

    @Test
    default void aSignInEndsWhenItIsNotUsed() {
        open(1, "abcd1234");
        open(2, "abcd1234");
        advance(SignIn.IDLE.minusMinutes(1));
        SignIn used = signIns().findSignIn(hash(1), true).orElseThrow();
        assertThat(used.usedAt()).isAfter(used.openedAt());
        assertThat(signIns().findSignIn(hash(2), false))
                .as("looked at, not used")
                .isPresent();
        advance(Duration.ofMinutes(2));
        assertThat(signIns().findSignIn(hash(1), false)).isPresent();
        assertThat(signIns().findSignIn(hash(2), false)).isEmpty();
        assertThat(signIns().findSignIn(hash(2), true)).isEmpty();
        assertThat(signIns().closeSignIn(hash(2))).isEmpty();
    }

    @Test
    default void aSignInEndsInAnyCase() {
        open(1, "abcd1234");
        Duration step = SignIn.IDLE.minusMinutes(1);
        for (Duration passed = step; passed.compareTo(SignIn.LONGEST) < 0; passed = passed.plus(step)) {
            advance(step);
            assertThat(signIns().findSignIn(hash(1), true))
                    .as("after %s", passed)
                    .isPresent();
        }
        advance(step);
        assertThat(signIns().findSignIn(hash(1), true)).isEmpty();
    }

    @Test
    default void aSignOutCountsForAllClients() {
        SignIn kept = open(1, "abcd1234");
        SignIns other = bench().anotherClient().store().signIns();
        assertThat(other.closeSignIn(hash(1))).contains(kept);
        assertThat(signIns().findSignIn(hash(1), true)).isEmpty();
        assertThat(signIns().closeSignIn(hash(1))).isEmpty();
    }

    @Test
    default void aKeyThatSignsInOftenEndsItsOwn() {
        open(1, "another1");
        for (int i = 0; i < SignIn.MOST_OF_A_KEY; i++) {
            open(100 + i, "abcd1234");
            advance(Duration.ofMillis(10));
        }
        signIns().findSignIn(hash(100), true);
        advance(Duration.ofMillis(10));
        open(300, "abcd1234");
        assertThat(signIns().findSignIn(hash(1), false)).as("of another key").isPresent();
        assertThat(signIns().findSignIn(hash(100), false)).as("used last").isPresent();
        assertThat(signIns().findSignIn(hash(101), false))
                .as("not used for longest")
                .isEmpty();
        assertThat(signIns().findSignIn(hash(102), false)).isPresent();
        assertThat(signIns().findSignIn(hash(300), false)).isPresent();
    }
}

package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Steps on many keys, of which one cannot be read. */
class KeyStepsTest {

    private static final List<LockKey> KEYS =
            Stream.of("a", "bad", "c").map(name -> LockKey.of("acme", name)).toList();

    private long now;
    private final KeySteps steps = new KeySteps(
            unused(Database.class),
            new StoredRuns(() -> now),
            new Random(1),
            unused(SqlStore.Feed.class),
            places -> {});
    private final List<List<LockKey>> made = new ArrayList<>();
    private SQLException failure =
            new StoredRuns.UnreadableRow("run 1 cannot be read", new IllegalStateException("mood"));

    @Test
    void aKeyThatCannotBeReadIsLeftOutForAWhile() {
        makeSteps();
        assertThat(made).containsExactly(KEYS, KEYS.subList(0, 1), KEYS.subList(1, 2), KEYS.subList(2, 3));
        now += TimeUnit.SECONDS.toNanos(29);
        made.clear();
        assertThat(steps.unreadableKeys()).isEqualTo(1);
        makeSteps();
        assertThat(made).containsExactly(List.of(KEYS.get(0), KEYS.get(2)));
        now += TimeUnit.SECONDS.toNanos(2);
        made.clear();
        assertThat(steps.unreadableKeys()).isZero();
        makeSteps();
        assertThat(made).startsWith(KEYS);
    }

    /** A server may say that data is wrong, too, and does not mean one row. */
    @Test
    void anyOtherFailureIsThatOfAllKeys() {
        failure = new SQLDataException("the row of the store is missing");
        assertThatThrownBy(this::makeSteps).isInstanceOf(StoreUnavailableException.class);
        assertThat(made).containsExactly(KEYS);
    }

    private void makeSteps() {
        steps.eachReadable(KEYS, some -> {
            made.add(some);
            if (some.contains(KEYS.get(1))) {
                throw new StoreUnavailableException("test", "failed", failure);
            }
            return true;
        });
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw new AssertionError("not to be called: " + method);
        }));
    }
}

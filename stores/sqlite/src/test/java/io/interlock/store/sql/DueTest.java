package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.store.sqlite.ClockedFile;
import io.interlock.store.sqlite.RandomLife;
import io.interlock.tck.RunAudit;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No step looks at a key before it is due, so there must be nothing to settle until then, whatever was done to it. */
class DueTest {

    private static final long FAR = Micros.of(Duration.ofDays(1000));

    @TempDir
    Path folder;

    private ClockedFile file;

    @BeforeEach
    void open() {
        file = new ClockedFile(folder.resolve("runs.db"));
    }

    @AfterEach
    void close() {
        file.close();
    }

    /** {@code ./interlock prove} tries more of them. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("interlock.prove") ? 12 : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingIsToBeSettledBeforeItIsDue(long seed) {
        Random random = new Random(seed);
        RandomLife life = new RandomLife(file.store(), random);
        for (int i = 0; i < 400; i++) {
            life.go();
            judge("after deed " + i + " of seed " + seed);
            if (random.nextInt(4) == 0) {
                file.pass(Duration.ofMillis(random.nextInt(6000)));
            }
            if (random.nextInt(20) == 0) {
                file.store().upkeep().sweepRuns(100);
                judge("after a sweep, deed " + i + " of seed " + seed);
                assertThat(file.store().upkeep().sweepRuns(100))
                        .as("nothing is left to do")
                        .isEmpty();
            }
        }
        for (int i = 0; i < 200 && !life.isOver(); i++) {
            life.wind();
            file.pass(Duration.ofSeconds(3));
            file.store().upkeep().sweepRuns(100);
        }
        assertThat(life.isOver()).as("every run ends").isTrue();
        assertThat(RunAudit.findings(file.store(), RandomLife.KEYS, life.submitted()))
                .isEmpty();
    }

    /** What a step sees of a key. */
    private record Seen(long now, long dueAt, List<?> settled, boolean changed) {}

    // What the row of a key says about its runs.
    private static final String WRONG_SUMS = """
            SELECT count(*) FROM ${t:lease} AS l
             WHERE l.queued <> (SELECT count(*) FROM ${t:open_run} AS q
                                 WHERE q.tenant = l.tenant AND q.busy = 0 AND q.name = l.name)
                OR l.resting <> (SELECT count(*) FROM ${t:open_run} AS q
                                  WHERE q.tenant = l.tenant AND q.busy = 0 AND q.name = l.name AND q.rank > q.place)
                OR (l.plain = 1 AND EXISTS (SELECT 1 FROM ${t:open_run} AS q WHERE q.tenant = l.tenant AND q.name = l.name))
                OR EXISTS (SELECT 1 FROM ${t:open_run} AS q WHERE q.tenant = l.tenant AND q.name = l.name
                              AND q.state = 'PENDING' AND q.claimable = 0
                              AND NOT EXISTS (SELECT 1 FROM ${t:pause} AS p WHERE p.tenant = l.tenant))""";

    private void judge(String when) {
        assertThat(file.later(0).<Long>read(transaction -> transaction.query(WRONG_SUMS, rows -> rows.getLong(1))))
                .as("rows of keys that are wrong about their runs %s", when)
                .isZero();
        for (LockKey key : RandomLife.KEYS) {
            Seen now = look(key, 0);
            if (now.dueAt() > now.now()) {
                requireSettled(now, key, when);
                long time = now.dueAt() == Long.MAX_VALUE ? FAR : now.dueAt() - 1 - now.now();
                requireSettled(look(key, time), key, when + ", just before it is due");
            }
        }
    }

    private static void requireSettled(Seen seen, LockKey key, String when) {
        assertThat(seen.settled()).as("%s %s", key, when).isEmpty();
        assertThat(seen.changed()).as("%s is changed %s", key, when).isFalse();
    }

    private Seen look(LockKey key, long later) {
        Database database = file.later(later);
        return new KeySteps(database, new StoredRuns(() -> 0), new Random(1), new SilentFeed(), places -> {})
                .lookAt(key, new KeySteps.Kind<>(List::of, keys -> Step.Needs.KEYS, false, (step, each) -> {
                    Step.LoadedKey loaded = Objects.requireNonNull(step.key(each));
                    long dueAt = dueAt(step, loaded);
                    List<?> settled = Settlement.settle(loaded.state());
                    return new Seen(step.now(), dueAt, settled, step.writer().wantsToWrite(List.of(each)));
                }));
    }

    private static long dueAt(Step step, Step.LoadedKey loaded) throws SQLException {
        KeyRow row = loaded.row();
        String tenant = row.key().tenant();
        long first = row.queue().dueAt() == null ? Long.MAX_VALUE : row.queue().dueAt();
        long busy = number(
                step,
                "SELECT q.due_at FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 1 AND q.name = ?",
                tenant,
                row.key().name());
        // The keys of a pause that has ended are settled, whether they are due or not.
        long pause = number(
                step,
                "SELECT min(CASE WHEN p.resumed = 1 THEN 0 ELSE p.until END) FROM ${t:pause} AS p WHERE p.tenant = ?",
                tenant);
        long running =
                number(step, "SELECT count(*) FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 1", tenant);
        KeyRow.Blocked blocked = row.queue().blocked();
        boolean mayStart = blocked != null && blocked.below() > running;
        return mayStart ? 0 : Math.min(Math.min(first, busy), pause);
    }

    private static long number(Step step, String sql, Object... values) throws SQLException {
        return step.transaction()
                .query(
                        sql,
                        rows -> {
                            Long found = rows.next() ? KeyRow.number(rows, 1) : null;
                            return found == null ? Long.MAX_VALUE : found;
                        },
                        values);
    }

    /** Hears nothing. */
    private static final class SilentFeed implements SqlStore.Feed {

        @Override
        public Subscription watch(LockKey key, Runnable lookAgain) {
            return () -> {};
        }

        @Override
        public Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
            return () -> {};
        }

        @Override
        public void keysChanged(Collection<LockKey> keys) {}

        @Override
        public void workAppeared(Collection<String> tenants) {}

        @Override
        public void close() {}
    }
}

package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.store.sql.Database;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How writers wait for each other, in one process and among several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TurnFileTest {

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("leases.db");
    }

    @Test
    void oneThatWaitsGoesBeforeTheOneThatHasJustWritten() throws Exception {
        TurnFile.make(file);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        try (TurnFile first = TurnFile.open(file, System::nanoTime);
                TurnFile second = TurnFile.open(file, System::nanoTime);
                FileChannel spy = FileChannel.open(TurnFile.of(file), StandardOpenOption.WRITE)) {
            first.take(patience());
            Thread waiting = new Thread(() -> {
                second.take(patience());
                order.add("second");
                second.giveBack();
            });
            waiting.start();
            while (!isLocked(spy, 0)) {
                Thread.onSpinWait();
            }
            first.giveBack();
            first.take(patience());
            order.add("first");
            first.giveBack();
            waiting.join();
        }
        assertThat(order).containsExactly("second", "first");
    }

    @Test
    void aTurnThatDoesNotComeKeepsNoStoreFromWriting() throws IOException {
        try (LeaseStore store = Stores.open("sqlite:" + file + "?timeout=400ms");
                FileChannel stopped = FileChannel.open(TurnFile.of(file), StandardOpenOption.WRITE)) {
            Caller caller = new Caller(store);
            FileLock next = stopped.tryLock(0, 1, false);
            assertThat(next).isNotNull();
            LeaseRecord lease = caller.take(LockKey.of("first"));
            for (int i = 0; i < 20; i++) {
                caller.renew(lease);
            }
            caller.release(lease);
            next.release();
        }
    }

    @Test
    void urgentCallsGoFirst() throws InterruptedException {
        CallQueue queue = new CallQueue(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        queue.enter(Database.Lane.STEPS, patience());
        List<Thread> waiting = List.of(
                enter(queue, Database.Lane.STEPS, "step 1", order),
                enter(queue, Database.Lane.STEPS, "step 2", order),
                enter(queue, Database.Lane.URGENT, "urgent 1", order),
                enter(queue, Database.Lane.URGENT, "urgent 2", order));
        queue.leave();
        for (Thread each : waiting) {
            each.join();
        }
        assertThat(order).containsExactly("urgent 1", "urgent 2", "step 1", "step 2");
    }

    @Test
    void urgentCallsKeepNoOtherWaitingForEver() throws InterruptedException {
        CallQueue queue = new CallQueue(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        queue.enter(Database.Lane.STEPS, patience());
        List<Thread> waiting = new ArrayList<>();
        waiting.add(enter(queue, Database.Lane.STEPS, "step", order));
        for (int i = 0; i < CallQueue.URGENT_IN_A_ROW + 5; i++) {
            waiting.add(enter(queue, Database.Lane.URGENT, "urgent", order));
        }
        queue.leave();
        for (Thread each : waiting) {
            each.join();
        }
        assertThat(order.indexOf("step")).isEqualTo(CallQueue.URGENT_IN_A_ROW);
    }

    @Test
    void aCallWhoseTurnDoesNotComeInTimeIsToldSo() {
        CallQueue queue = new CallQueue(1);
        queue.enter(Database.Lane.STEPS, patience());
        assertThatThrownBy(() -> queue.enter(Database.Lane.URGENT, patience(Duration.ofMillis(20))))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("longer than its timeout");
        queue.leave();
        queue.enter(Database.Lane.STEPS, patience(Duration.ofMillis(20)));
        queue.leave();
    }

    /** A thread that waits in the queue by now. */
    private static Thread enter(CallQueue queue, Database.Lane lane, String name, List<String> order) {
        Thread thread = new Thread(() -> {
            queue.enter(lane, patience());
            order.add(name);
            queue.leave();
        });
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static boolean isLocked(FileChannel spy, long position) throws IOException {
        try (FileLock lock = spy.tryLock(position, 1, false)) {
            return lock == null;
        } catch (OverlappingFileLockException otherChannel) {
            return true;
        }
    }

    private static WaitDeadline patience() {
        return patience(Duration.ofSeconds(30));
    }

    private static WaitDeadline patience(Duration time) {
        return new WaitDeadline("test", System::nanoTime, time);
    }
}

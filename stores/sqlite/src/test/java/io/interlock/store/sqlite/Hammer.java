package io.interlock.store.sqlite;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A process whose threads take and release the same few keys as fast as they can, for a while. Each key protects a file with
 * the token of its holder, or its negative once that has left: read and written apart, so that two holders at once are seen.
 */
final class Hammer {

    private static final int THREADS = 4;
    private static final int KEYS = 3;

    private final LeaseStore store;
    private final Path folder;
    private final long end;

    private Hammer(LeaseStore store, Path folder, Duration time) {
        this.store = store;
        this.folder = folder;
        this.end = System.nanoTime() + time.toNanos();
    }

    /** Hammers on the store {@code args[0]}, with files in {@code args[1]}, for {@code args[2]}; prints how many
     * leases it had and how long the log is by then. */
    public static void main(String[] args) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (LeaseStore store = Stores.open(args[0])) {
            Hammer hammer = new Hammer(store, Path.of(args[1]), Duration.parse(args[2]));
            List<Future<Integer>> turns = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                turns.add(threads.submit((Callable<Integer>) hammer::run));
            }
            int sum = 0;
            for (Future<Integer> turn : turns) {
                sum += turn.get();
            }
            long log = Files.size(Path.of(args[0].substring("sqlite:".length()) + "-wal"));
            System.out.println(sum + " turns, log of " + log);
        } finally {
            threads.shutdown();
        }
    }

    private int run() throws IOException {
        Caller caller = new Caller(store);
        int turns = 0;
        for (int i = 0; System.nanoTime() < end; i++) {
            LockKey key = LockKey.of("key-" + i % KEYS);
            if (caller.ask(key) instanceof AcquireAnswer.Granted granted) {
                LeaseRecord lease = granted.grants().get(0).lease();
                work(caller, lease);
                require(caller.release(lease) instanceof ReleaseAnswer.Released, "not released", lease);
                turns++;
            }
        }
        return turns;
    }

    private void work(Caller caller, LeaseRecord lease) throws IOException {
        Path inside = folder.resolve(lease.key().name());
        try (RandomAccessFile file = new RandomAccessFile(inside.toFile(), "rw")) {
            long last = file.length() == 0 ? 0 : file.readLong();
            require(last <= 0, "beside " + last, lease);
            require(-last < lease.token().value(), "after " + -last, lease);
            file.seek(0);
            file.writeLong(lease.token().value());
            if (lease.token().value() % 4 == 0) {
                require(caller.renew(lease) instanceof RenewAnswer.Renewed, "not renewed", lease);
            }
            file.seek(0);
            require(file.readLong() == lease.token().value(), "overwritten", lease);
            file.seek(0);
            file.writeLong(-lease.token().value());
        }
    }

    private static void require(boolean so, String otherwise, LeaseRecord lease) {
        if (!so) {
            throw new IllegalStateException(otherwise + ": " + lease);
        }
    }
}

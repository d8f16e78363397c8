package io.interlock.store.sqlite;

import io.interlock.time.Environment.Ticker;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file beside the database at which processes that want to write take turns. In SQLite itself a writer that finds another
 * one at work sleeps and tries again, so that a busy process may keep another one waiting for seconds.
 *
 * <p>Two of its bytes are locked. A process locks the first, then the second, gives back the first and writes. So the one that
 * has the first is next, and a process that has just written stands behind it: of two processes, neither writes twice while the other
 * one waits. With more of them, those that wait for the first byte try again at intervals that become shorter the longer they wait.
 *
 * <p>Turns make waiting fair, and nothing else: what keeps two writers apart is SQLite's own lock. So a process that has waited
 * for half of its time, because another one was stopped while it was next, goes on without a turn. The system frees the locks of a
 * process that dies. Used by one thread at a time.
 */
final class TurnFile implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TurnFile.class);

    private static final long NEXT = 0;
    private static final long TURN = 1;
    private static final long LONGEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(60);

    /** How long turns are not waited for after one that did not come. */
    private static final long STUCK = TimeUnit.SECONDS.toNanos(5);

    private final FileChannel channel;
    private final Ticker ticker;
    private @Nullable FileLock turn;
    private long stuckSince;
    private boolean stuck;

    private TurnFile(FileChannel channel, Ticker ticker) {
        this.channel = channel;
        this.ticker = ticker;
    }

    /** The side file of a database. */
    static Path of(Path database) {
        return database.resolveSibling(database.getFileName() + "-turn");
    }

    /** Makes the side file if there is none: with the permissions of the database, or for its owner alone if it is new, too. */
    static void make(Path database) throws IOException {
        Path file = of(database);
        if (Files.exists(file)) {
            return;
        }
        try {
            Set<PosixFilePermission> allowed = Files.exists(database)
                    ? Files.getPosixFilePermissions(database)
                    : PosixFilePermissions.fromString("rw-------");
            FileAttribute<?> ofOwner =
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ofOwner)
                    .close();
            Files.setPosixFilePermissions(file, allowed);
        } catch (UnsupportedOperationException notPosix) {
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
        }
    }

    /** Opens the side file of a database, which is there already. */
    static TurnFile open(Path database, Ticker ticker) throws IOException {
        return new TurnFile(FileChannel.open(of(database), StandardOpenOption.WRITE), ticker);
    }

    /** Waits for the turn of this process, but for no longer than half of the time that is left. */
    void take(WaitDeadline patience) {
        long start = ticker.nanos();
        if (stuck && start - stuckSince < STUCK) {
            return;
        }
        long most = patience.leftNanos() / 2;
        FileLock next = lock(NEXT, start, most);
        if (next != null) {
            turn = lock(TURN, start, most);
            release(next);
        }
        stuck = turn == null;
        if (stuck) {
            stuckSince = ticker.nanos();
            log.debug("no turn came within {} ms; writing without one", TimeUnit.NANOSECONDS.toMillis(most));
        }
    }

    /** Lets the next process write. */
    void giveBack() {
        FileLock mine = turn;
        turn = null;
        if (mine != null) {
            release(mine);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failure) {
            log.warn("the side file of a store did not close: {}", failure.toString());
        }
    }

    private @Nullable FileLock lock(long position, long start, long most) {
        boolean interrupted = false;
        try {
            while (true) {
                FileLock lock = tryLock(position);
                long waited = ticker.nanos() - start;
                if (lock != null || waited > most || !channel.isOpen()) {
                    return lock;
                }
                long pause = position == TURN ? SHORTEST_PAUSE : LONGEST_PAUSE - waited / 16;
                LockSupport.parkNanos(this, Math.max(SHORTEST_PAUSE, pause));
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // Unlike lock(), which an interrupt would end by closing the channel.
    private @Nullable FileLock tryLock(long position) {
        try {
            return channel.tryLock(position, 1, false);
        } catch (OverlappingFileLockException otherStore) {
            // Another store of this process has it.
            return null;
        } catch (IOException failure) {
            log.debug("a turn could not be asked for", failure);
            return null;
        }
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException closed) {
            log.debug("a turn could not be given back", closed);
        }
    }
}

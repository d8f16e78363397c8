package io.interlock.storm;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.interlock.LockKey;
import io.interlock.engine.RunContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Observes independently of the store which runs work under a key: a file per key, locked by the kernel while a run
 * works, with a line for every start. The kernel releases the lock when a process is killed.
 */
final class OutsideWitness {

    private final Path folder;

    OutsideWitness(Path folder) {
        this.folder = folder;
    }

    /** The start of an attempt. */
    record Beginning(boolean alone, long run, int attempt, long token) {}

    /** Records the start of an attempt. */
    Presence enter(RunContext run) throws IOException {
        // One channel to lock and to write: closing another channel of the file would end the lock of the whole
        // process.
        FileChannel file = FileChannel.open(file(run.key()), CREATE, WRITE, APPEND);
        try {
            String line = (isFree(file) ? "alone " : "OVERLAP ") + run.run().number() + " " + run.attempt() + " "
                    + run.token().value() + "\n";
            // Appended atomically, even if two processes write at once.
            file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
            return new Presence(file, file.size());
        } catch (IOException | RuntimeException failure) {
            // For example after a stop request. An open file would look as if the work never ended.
            file.close();
            throw failure;
        }
    }

    private static boolean isFree(FileChannel room) throws IOException {
        try {
            return room.tryLock() != null;
        } catch (OverlappingFileLockException sameProcess) {
            // Another run of this process works under the key, which is as bad as one of another process.
            return false;
        }
    }

    /** All starts under {@code key}, in order. */
    List<Beginning> beginnings(LockKey key) throws IOException {
        List<Beginning> seen = new ArrayList<>();
        if (!Files.exists(file(key))) {
            return seen;
        }
        for (String line : Files.readAllLines(file(key))) {
            String[] words = line.split(" ", -1);
            seen.add(new Beginning(
                    words[0].equals("alone"),
                    Long.parseLong(words[1]),
                    Integer.parseInt(words[2]),
                    Long.parseLong(words[3])));
        }
        return seen;
    }

    private Path file(LockKey key) {
        return folder.resolve(key.name().replace('/', '_'));
    }

    /** A running attempt. */
    static final class Presence implements AutoCloseable {

        private final FileChannel file;
        private final long size;

        private Presence(FileChannel file, long size) {
            this.file = file;
            this.size = size;
        }

        /** Whether no other attempt has started since. */
        void stillAlone() throws IOException {
            if (file.size() != size) {
                throw new IllegalStateException("another attempt started while this one worked");
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}

package io.interlock.tck.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A number in a file without protection: it is correct only if its users exclude each other.
 */
public final class PlainCounter {

    private static final long THINKING_NANOS = 500_000;

    private final Path file;

    /** The number in {@code file}; a file that is missing means zero. */
    public PlainCounter(Path file) {
        this.file = file;
    }

    /** Reads, pauses, and writes the next number. */
    public void increment() throws IOException {
        long number = number();
        LockSupport.parkNanos(THINKING_NANOS);
        Files.writeString(file, Long.toString(number + 1));
    }

    /** The number. */
    public long number() throws IOException {
        try {
            String text = Files.readString(file).strip();
            // Two concurrent writers may leave it empty for a moment, which is a lost update, too.
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }
}

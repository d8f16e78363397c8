package io.interlock.tck.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A number in a file that anybody overwrites: it counts right only if those who count take turns.
 */
public final class PlainCounter {

    private static final long THINKING_NANOS = 500_000;

    private final Path file;

    /** The number in {@code file}; a file that is missing means zero. */
    public PlainCounter(Path file) {
        this.file = file;
    }

    /** Reads, thinks, and writes one more. */
    public void increment() throws IOException {
        long number = number();
        LockSupport.parkNanos(THINKING_NANOS);
        Files.writeString(file, Long.toString(number + 1));
    }

    /** The number. */
    public long number() throws IOException {
        try {
            String text = Files.readString(file).strip();
            // Two writers at once may leave it empty for a moment; that, too, is an update lost.
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }
}

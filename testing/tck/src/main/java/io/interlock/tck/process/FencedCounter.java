package io.interlock.tck.process;

import io.interlock.FencingToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number in a file that checks tokens, as a protected resource should. It rejects tokens smaller than the greatest
 * it has seen, so a late holder does no harm.
 *
 * <p>Each call is atomic among processes. Within a process, one thread at a time.
 */
public final class FencedCounter {

    private final Path file;

    /** The number in {@code file}; a file that is missing means zero. */
    public FencedCounter(Path file) {
        this.file = file;
    }

    /** Adds {@code amount}, and returns whether it was done: not if the resource has seen a greater token. */
    public synchronized boolean add(FencingToken token, long amount) throws IOException {
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            State state = read(channel);
            if (!lock.isValid() || token.value() < state.met()) {
                return false;
            }
            write(channel, new State(token.value(), state.number() + amount));
            return true;
        }
    }

    /** The number. */
    public synchronized long number() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return read(channel).number();
        }
    }

    private record State(long met, long number) {}

    private static State read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        channel.read(bytes, 0);
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).strip();
        if (text.isEmpty()) {
            return new State(0, 0);
        }
        int space = text.indexOf(' ');
        return new State(Long.parseLong(text.substring(0, space)), Long.parseLong(text.substring(space + 1)));
    }

    private static void write(FileChannel channel, State state) throws IOException {
        byte[] text = (state.met() + " " + state.number() + "\n").getBytes(StandardCharsets.US_ASCII);
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(text), 0);
    }
}

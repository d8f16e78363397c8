package io.interlock.cli.text;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where answers go. A {@code PrintStream} says only that something went wrong, and not what; this remembers. */
final class Answers extends FilterOutputStream {

    private volatile @Nullable IOException failure;

    Answers(OutputStream out) {
        super(out);
    }

    /** Why something of it was not written. */
    Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException unwritten) {
            failure = unwritten;
            throw unwritten;
        }
    }
}

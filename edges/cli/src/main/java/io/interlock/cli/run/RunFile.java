package io.interlock.cli.run;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.run.RunStatus.Progress;
import io.interlock.time.Environment.Timers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file by which {@code interlock stage} and {@code interlock progress} find and prove their run: readable and writable for its
 * owner only. It begins with what a script may want to read; whatever is appended after that are reports, and the wrapper, which
 * holds the lease, passes them on with its heartbeats. So the child needs no way to the store and no secret of it, a report costs no
 * connection, it cannot harm the lease, and it cannot fail for a reason that lies elsewhere.
 *
 * <p>Used by one thread at a time.
 */
public final class RunFile implements AutoCloseable {

    public static final String VARIABLE = "INTERLOCK_RUN_FILE";

    private final Path path;
    private long read;
    private final StringBuilder unfinished = new StringBuilder();

    private RunFile(Path path, long head) {
        this.path = path;
        this.read = head;
    }

    static RunFile create(LockKey key, HeldKey held, Map<String, String> environment) throws IOException {
        String runtime = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        Path folder = Path.of(
                !runtime.isEmpty() && Files.isWritable(Path.of(runtime))
                        ? runtime
                        : System.getProperty("java.io.tmpdir", "/tmp"));
        Path path = Files.createTempFile(
                folder,
                "interlock-run-",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        byte[] head = ("tenant=" + key.tenant() + "\nkey=" + key.name() + "\nrunId=" + held.runId() + "\ntoken="
                        + held.token() + "\n\n")
                .getBytes(StandardCharsets.UTF_8);
        Files.write(path, head);
        return new RunFile(path, head.length);
    }

    Path path() {
        return path;
    }

    /** Adds a report to the file of a run; for the child. */
    public static void report(Path file, String line) throws IOException {
        Files.write(
                file,
                (line + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }

    /** The reports that have come since the last time. */
    List<String> news() throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = file.size();
            if (size < read) {
                // It was overwritten, by > instead of >>; all that is there now is new.
                read = 0;
                unfinished.setLength(0);
            }
            if (size == read) {
                return List.of();
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(size - read, 64 * 1024));
            file.read(bytes, read);
            read += bytes.position();
            unfinished.append(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
        }
        int end = unfinished.lastIndexOf("\n");
        if (end < 0) {
            return List.of();
        }
        List<String> lines = unfinished.substring(0, end).lines().toList();
        unfinished.delete(0, end + 1);
        return lines;
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException leftBehind) {
            // Only its owner can read it, and its run is over.
        }
    }

    /** Passes on what the child says of itself. It looks a few times a second, which costs less than a store would notice. */
    public static final class Reports {

        /** Begins the line that names a stage. */
        public static final String STAGE = "stage ";

        /** Begins the line that says how far the work is. */
        public static final String PROGRESS = "progress ";

        private static final Duration LOOK_EVERY = Duration.ofMillis(200);

        private final RunFile file;
        private final HeldKey held;
        private final Timers timers;
        private boolean closed;

        Reports(RunFile file, HeldKey held, Timers timers) {
            this.file = file;
            this.held = held;
            this.timers = timers;
        }

        void start() {
            timers.after(LOOK_EVERY, () -> {
                if (look()) {
                    start();
                }
            });
        }

        /** Passes on the last words. */
        void close() {
            look();
            synchronized (this) {
                closed = true;
            }
        }

        private synchronized boolean look() {
            if (closed) {
                return false;
            }
            try {
                file.news().forEach(this::passOn);
                return true;
            } catch (IOException gone) {
                // The child deleted it, so it has nothing to say.
                closed = true;
                return false;
            }
        }

        private void passOn(String line) {
            try {
                if (line.startsWith(STAGE)) {
                    held.stage(line.substring(STAGE.length()));
                } else if (line.startsWith(PROGRESS)) {
                    Progress progress = progress(line.substring(PROGRESS.length()));
                    held.progress(progress.done(), progress.total());
                }
            } catch (InvalidSettingException nonsense) {
                // interlock stage and progress would have refused it; a line written by hand must not fail the work.
            }
        }

        /** Reads {@code N} or {@code N/TOTAL}. */
        public static Progress progress(String text) {
            int slash = text.indexOf('/');
            String done = slash < 0 ? text : text.substring(0, slash);
            @Nullable Long total = slash < 0 ? null : Long.valueOf(number(text, text.substring(slash + 1)));
            return new Progress(number(text, done), total);
        }

        private static long number(String all, String part) {
            try {
                return Long.parseLong(part.strip());
            } catch (NumberFormatException none) {
                throw new InvalidSettingException("progress", all, "is no number", "write N or N/TOTAL, as in 12/20");
            }
        }
    }
}

package io.interlock.store.sqlite;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Linux: time since boot, which counts while the machine sleeps and which cannot be set, and the kernel's boot id.
 *
 * <p>A new boot id means that every process that could hold a lease on this machine is gone.
 */
final class ProcHostClock implements HostClock {

    private static final Duration PRECISION = Duration.ofMillis(10);

    private final Path path;
    private final RandomAccessFile uptime;
    private final byte[] text = new byte[64];
    private final String bootId;

    private ProcHostClock(Path path, String bootId) throws IOException {
        this.path = path;
        this.bootId = bootId;
        // It stays open: reading it again is much faster than opening it. No channel, which an interrupt would close.
        uptime = new RandomAccessFile(path.toFile(), "r");
    }

    /** The clock of a system whose process files are in {@code proc}. */
    static ProcHostClock in(Path proc) throws IOException {
        String bootId = Files.readString(proc.resolve("sys/kernel/random/boot_id"), StandardCharsets.US_ASCII)
                .strip();
        ProcHostClock clock = new ProcHostClock(proc.resolve("uptime"), bootId);
        clock.uptime();
        return clock;
    }

    @Override
    public String bootId() {
        return bootId;
    }

    @Override
    public long uptime() throws IOException {
        String said = read();
        try {
            return new BigDecimal(said.substring(0, said.indexOf(' ')))
                    .movePointRight(6)
                    .longValueExact();
        } catch (ArithmeticException | NumberFormatException | StringIndexOutOfBoundsException notANumber) {
            throw new IOException(path + " says '" + said + "', which is no time since boot", notANumber);
        }
    }

    @Override
    public boolean steady() {
        return true;
    }

    @Override
    public Duration precision() {
        return PRECISION;
    }

    private synchronized String read() throws IOException {
        uptime.seek(0);
        int length = Math.max(0, uptime.read(text));
        return new String(text, 0, length, StandardCharsets.US_ASCII).strip();
    }
}

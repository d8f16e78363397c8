package io.interlock.store.sqlite;

import java.io.FileInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Linux: time since boot, which counts while the machine sleeps and which nobody can set, and the kernel's boot id.
 *
 * <p>A new boot id means that every process that could hold a lease on this machine is gone.
 */
final class ProcHostClock implements HostClock {

    private static final Duration PRECISION = Duration.ofMillis(10);

    private final Path uptime;
    private final String bootId;

    private ProcHostClock(Path uptime, String bootId) {
        this.uptime = uptime;
        this.bootId = bootId;
    }

    /** The clock of a system whose process files are in {@code proc}. */
    static ProcHostClock in(Path proc) throws IOException {
        String bootId = read(proc.resolve("sys/kernel/random/boot_id"));
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
        String text = read(uptime);
        try {
            return new BigDecimal(text.substring(0, text.indexOf(' ')))
                    .movePointRight(6)
                    .longValueExact();
        } catch (ArithmeticException | NumberFormatException | StringIndexOutOfBoundsException notANumber) {
            throw new IOException(uptime + " says '" + text + "', which is no time since boot", notANumber);
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

    // A stream and no channel: an interrupt closes channels, and must not disturb a step under way.
    private static String read(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        }
    }
}

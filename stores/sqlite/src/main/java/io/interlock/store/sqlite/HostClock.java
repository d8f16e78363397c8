package io.interlock.store.sqlite;

import io.interlock.store.sql.Micros;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A clock that all processes of this machine share. Implementations are safe for use by many threads, and reading is not
 * disturbed by an interrupt.
 */
interface HostClock {

    /** The name of the period in which {@link #uptime()} counts on. A lease from another period is over. */
    String bootId();

    /** Microseconds since that period began. */
    long uptime() throws IOException;

    /** Whether it never goes back, so that reading less than another process wrote means that it has another clock. */
    boolean steady();

    /** The clock of this machine. All stores of this process share it, except for a wall clock, which belongs to its environment. */
    static HostClock ofThisMachine(Environment environment) {
        try {
            return SinceBoot.shared();
        } catch (IOException notLinux) {
            return wall(environment, notLinux);
        }
    }

    /** The clock of a system whose process files, if it has any, are in {@code proc}. */
    static HostClock of(Path proc, Environment environment) {
        try {
            return new SinceBoot(proc);
        } catch (IOException notLinux) {
            return wall(environment, notLinux);
        }
    }

    private static HostClock wall(Environment environment, IOException notLinux) {
        LoggerFactory.getLogger(HostClock.class)
                .info(
                        "this system does not tell time since boot ({}); leases are timed by its wall clock",
                        notLinux.toString());
        return new Wall(environment.clock());
    }

    /**
     * Linux: time since boot, which counts while the machine sleeps and which cannot be set, and the kernel's boot id.
     *
     * <p>A new boot id means that every process that could hold a lease on this machine is gone.
     */
    final class SinceBoot implements HostClock {

        private static @Nullable SinceBoot shared;

        private final Path path;
        private final RandomAccessFile uptime;
        private final byte[] text = new byte[64];
        private final String bootId;

        private SinceBoot(Path proc) throws IOException {
            bootId = Files.readString(proc.resolve("sys/kernel/random/boot_id"), StandardCharsets.US_ASCII)
                    .strip();
            path = proc.resolve("uptime");
            // It stays open: reading it again is much faster than opening it. No channel, which an interrupt would
            // close.
            uptime = new RandomAccessFile(path.toFile(), "r");
            uptime();
        }

        private static synchronized SinceBoot shared() throws IOException {
            SinceBoot known = shared;
            if (known == null) {
                known = new SinceBoot(Path.of("/proc"));
                shared = known;
            }
            return known;
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

        private synchronized String read() throws IOException {
            uptime.seek(0);
            int length = Math.max(0, uptime.read(text));
            return new String(text, 0, length, StandardCharsets.US_ASCII).strip();
        }
    }

    /**
     * Systems that do not tell time since boot: the wall clock. The store never lets it go back, so setting it back makes leases
     * last longer; setting it forward ends them early, and then only tokens protect.
     *
     * @param clock the wall clock
     */
    record Wall(InstantSource clock) implements HostClock {

        @Override
        public String bootId() {
            return "wall clock";
        }

        @Override
        public long uptime() {
            return Micros.of(clock.instant());
        }

        @Override
        public boolean steady() {
            return false;
        }
    }
}

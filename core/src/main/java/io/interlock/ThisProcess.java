package io.interlock;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * The default holder of this process: its machine and process id as a label, and a random number that distinguishes two
 * starts.
 */
public final class ThisProcess {

    private static final int MAX_HOST = 100;
    private static final Path LINUX = Path.of("/proc/sys/kernel/hostname");

    private ThisProcess() {}

    /** A holder that no other process or start shares. */
    public static Holder holder(RandomGenerator random) {
        String host = host();
        long pid = ProcessHandle.current().pid();
        String instance = host + "-" + pid + "-" + HexFormat.of().toHexDigits(random.nextLong());
        return new Holder(instance, host + " (pid " + pid + ")");
    }

    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name == null || name.isBlank()) {
            name = System.getenv("COMPUTERNAME");
        }
        if (name == null || name.isBlank()) {
            name = askedForHost();
        }
        String plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
        return plain.length() > MAX_HOST ? plain.substring(0, MAX_HOST) : plain;
    }

    private static String askedForHost() {
        try {
            // Without a name service, which may be slow.
            return Files.readString(LINUX).strip();
        } catch (IOException notLinux) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException unnamed) {
                return "unnamed-host";
            }
        }
    }
}

package io.interlock;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.random.RandomGenerator;

/**
 * The default holder of this process: its machine and process id as a label, and a random number that distinguishes two
 * starts.
 */
public final class ThisProcess {

    private static final int MAX_HOST = 100;

    private ThisProcess() {}

    /** A holder that no other process or start shares. */
    public static Holder holder(RandomGenerator random) {
        String host = host();
        long pid = ProcessHandle.current().pid();
        String instance = host + "-" + pid + "-" + String.format("%016x", random.nextLong());
        return new Holder(instance, host + " (pid " + pid + ")");
    }

    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name == null || name.isBlank()) {
            name = System.getenv("COMPUTERNAME");
        }
        if (name == null || name.isBlank()) {
            try {
                name = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException unnamed) {
                name = "unnamed-host";
            }
        }
        String plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
        return plain.length() > MAX_HOST ? plain.substring(0, MAX_HOST) : plain;
    }
}

package io.interlock.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import io.interlock.InvalidSettingException;
import io.interlock.config.Limits;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.VertxConnection;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections beyond a number, in all and of each address, at once and without an answer: each takes one of the files that this
 * process may have open, and a store whose process has none left cannot renew leases. Safe for use by many threads.
 */
public final class ConnectionLimit {

    private static final Logger log = LoggerFactory.getLogger(ConnectionLimit.class);
    private static final int MOST = 20_000;

    /** What the store, the log and commands may need beside connections. */
    private static final int FEWEST_OTHERS = 256;

    private static final long UNKNOWN_FILES = 4_096;

    private final int most;
    private final int mostOfAnAddress;
    private final ClientAddress addresses;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<String, Integer> byAddress = new ConcurrentHashMap<>();
    private final AtomicBoolean told = new AtomicBoolean();

    private ConnectionLimit(int most, int mostOfAnAddress, ClientAddress addresses) {
        this.most = most;
        this.mostOfAnAddress = mostOfAnAddress;
        this.addresses = addresses;
    }

    /**
     * Holds connections to {@code limits}; a trusted proxy may have as many as there are.
     *
     * @throws InvalidSettingException if there could be more of them than files
     */
    public static ConnectionLimit of(Limits.Connections limits, ClientAddress addresses) {
        return of(limits, addresses, openFiles());
    }

    static ConnectionLimit of(Limits.Connections limits, ClientAddress addresses, long files) {
        long room = Math.max(1, files - Math.max(FEWEST_OTHERS, files / 5));
        Integer wanted = limits.most();
        if (wanted != null && wanted > room) {
            throw new InvalidSettingException(
                    "limits.connections",
                    wanted,
                    "is above " + room + ": this process may have " + files + " files open, and needs some for itself",
                    "lower it, or raise the limit of open files (ulimit -n)");
        }
        int most = wanted == null ? (int) Math.min(MOST, room) : wanted;
        Integer ofOne = limits.mostOfAnAddress();
        return new ConnectionLimit(most, Math.min(most, ofOne == null ? Math.max(1, most / 2) : ofOne), addresses);
    }

    /** Whether {@code connection} may stay; if not, it is closed. */
    boolean admit(HttpConnection connection) {
        String address = ClientAddress.of(connection.remoteAddress());
        boolean proxy = addresses.isProxy(address);
        int ofAddress = byAddress.merge(address, 1, Integer::sum);
        int all = open.incrementAndGet();
        Channel channel = ((VertxConnection) connection).channel();
        channel.closeFuture().addListener(closed -> leave(address));
        if (all <= most && (proxy || ofAddress <= mostOfAnAddress)) {
            return true;
        }
        if (told.compareAndSet(false, true)) {
            log.warn(
                    "closing new connections: {} are open, {} of them from {}; the limits are {}, and {} for one address",
                    all,
                    ofAddress,
                    address,
                    most,
                    mostOfAnAddress);
        }
        HttpServerFactory.hangUp(connection);
        return false;
    }

    private void leave(String address) {
        byAddress.computeIfPresent(address, (name, count) -> count == 1 ? null : count - 1);
        if (open.decrementAndGet() < most / 2) {
            // It is said again when it happens again.
            told.set(false);
        }
    }

    int most() {
        return most;
    }

    private static long openFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : UNKNOWN_FILES;
    }
}

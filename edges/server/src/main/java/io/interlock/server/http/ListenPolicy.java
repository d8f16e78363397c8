package io.interlock.server.http;

import io.interlock.InvalidSettingException;
import io.interlock.config.Listen;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** Refuses to listen where strangers could come in, or where keys would travel in the clear. */
public final class ListenPolicy {

    private static final Set<PosixFilePermission> EXPOSING =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private ListenPolicy() {}

    /**
     * Passes if it is safe to listen so.
     *
     * @param hasKeys whether there is an API key that counts
     * @throws InvalidSettingException saying what is missing
     */
    public static void require(Listen listen, boolean hasKeys) {
        listen.encryption().ifPresent(tls -> requirePrivate(tls.key()));
        if (isLoopback(listen.host())) {
            return;
        }
        if (!hasKeys) {
            throw new InvalidSettingException(
                    "host",
                    listen.host(),
                    "is reachable from elsewhere, and there is no API key yet",
                    "make one first: interlock keys create --tenant default --role admin, or bind to 127.0.0.1");
        }
        if (listen.tls() == null && !listen.behindProxy()) {
            throw new InvalidSettingException(
                    "host",
                    listen.host(),
                    "is reachable from elsewhere, and API keys would travel unencrypted",
                    "set tls.certificate and tls.key, or say --behind-proxy if a proxy in front ends TLS");
        }
    }

    /** The private key of the server must be for its owner, or for its group, as containers are given secrets. */
    private static void requirePrivate(String key) {
        try {
            Set<PosixFilePermission> allowed = new HashSet<>(Files.getPosixFilePermissions(Path.of(key)));
            String mode = PosixFilePermissions.toString(allowed);
            allowed.retainAll(EXPOSING);
            if (!allowed.isEmpty()) {
                throw InvalidSettingException.forbidden(
                        "tls.key",
                        key,
                        "has the mode " + mode + ", so that other users of this host can read or change it",
                        "allow it to the server's user only: chmod 600 " + key);
            }
        } catch (UnsupportedOperationException | IOException unseen) {
            // No such modes here, or no such file: what reads it says so.
            return;
        }
    }

    /** Whether only this host can connect to {@code host}. A name that cannot be resolved is taken for reachable. */
    public static boolean isLoopback(String host) {
        try {
            // There is at least one.
            return Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}

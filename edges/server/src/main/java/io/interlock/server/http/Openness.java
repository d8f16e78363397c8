package io.interlock.server.http;

import io.interlock.InvalidSettingException;
import io.interlock.config.Listen;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Refuses to listen where strangers could come in, or where keys would travel in the clear. */
public final class Openness {

    private Openness() {}

    /**
     * Passes if it is safe to listen so.
     *
     * @param hasKeys whether there is an API key that counts
     * @throws InvalidSettingException saying what is missing
     */
    public static void require(Listen listen, boolean hasKeys) {
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

    /** Whether only this host can connect to {@code host}. A name that cannot be resolved is taken for reachable. */
    public static boolean isLoopback(String host) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(host);
            for (InetAddress address : addresses) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return addresses.length > 0;
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}

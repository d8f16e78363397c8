package io.interlock.engine.http;

import io.interlock.InterlockException;
import java.net.InetAddress;

/** A host has an address to which no request may go. Nothing was sent. */
public final class ForbiddenAddressException extends InterlockException {

    private static final long serialVersionUID = 1L;

    ForbiddenAddressException(String host, InetAddress address) {
        super("host '" + host + "' has the address " + address.getHostAddress()
                + ", which is not public; if requests may go there, add it to private-networks");
    }
}

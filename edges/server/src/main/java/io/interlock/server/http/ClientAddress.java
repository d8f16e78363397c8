package io.interlock.server.http;

import io.interlock.engine.http.HttpRules.Network;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where a client comes from: the other end of its connection or, if that is a trusted proxy, the last address in {@code X-Forwarded-For}
 * that is none. What a client itself writes there stands before that, and is not believed. Immutable.
 */
public final class ClientAddress {

    private static final String UNKNOWN = "unknown";

    // What cannot be a name: nothing is looked up.
    private static final Pattern LITERAL =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    private final List<Network> proxies;

    /** Trusts the proxies in these networks, such as {@code 10.0.0.0/8}. */
    public ClientAddress(List<String> proxies) {
        this.proxies = proxies.stream().map(Network::parse).toList();
    }

    /** Whether clients behind proxies are told apart. */
    public boolean trustsProxies() {
        return !proxies.isEmpty();
    }

    public String of(HttpServerRequest request) {
        String address = of(request.remoteAddress());
        if (!isProxy(address)) {
            return address;
        }
        String[] passed =
                String.join(",", request.headers().getAll("X-Forwarded-For")).split(",", -1);
        for (int i = passed.length - 1; i >= 0; i--) {
            String next = passed[i].strip();
            if (!LITERAL.matcher(next).matches()) {
                return address;
            }
            address = next;
            if (!isProxy(address)) {
                return address;
            }
        }
        return address;
    }

    static String of(SocketAddress peer) {
        return peer == null || peer.hostAddress() == null ? UNKNOWN : peer.hostAddress();
    }

    /** Whether {@code address} is one of a trusted proxy. */
    boolean isProxy(String address) {
        if (proxies.isEmpty() || address.equals(UNKNOWN)) {
            return false;
        }
        try {
            InetAddress parsed = InetAddress.getByName(address);
            return proxies.stream().anyMatch(network -> network.contains(parsed));
        } catch (UnknownHostException impossible) {
            return false;
        }
    }
}

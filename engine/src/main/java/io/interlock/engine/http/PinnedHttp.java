package io.interlock.engine.http;

import io.interlock.InterlockException;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends by HTTP/1.1, and only to where its {@link HttpRules} allow.
 *
 * <p>The host is looked up once, all of its addresses are checked, and the connection goes to one of those: a name that answers
 * differently the second time leads nowhere. Certificates are checked against the name. Redirects are not followed, no proxy is
 * used, nothing is sent twice, and what is read, and how long that may take, is limited.
 *
 * <p>Safe for use by many threads.
 */
public final class PinnedHttp implements AutoCloseable {

    private final HttpRules rules;
    private final Resolver resolver;
    private final SSLSocketFactory tls;
    private final Timers timers;
    private final Set<HttpExchange> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Sends to where {@code rules} allow, with the certificates this machine trusts. */
    public PinnedHttp(HttpRules rules, Environment environment) {
        this(rules, environment, Resolver.SYSTEM, null);
    }

    PinnedHttp(HttpRules rules, Environment environment, Resolver resolver, @Nullable SSLSocketFactory tls) {
        this.rules = rules;
        this.resolver = resolver;
        this.tls = tls == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : tls;
        this.timers = environment.timers("interlock-http");
    }

    /**
     * Prepares a request; {@link HttpExchange#send()} sends it.
     *
     * @param headers besides those that belong to HTTP itself; the body is called JSON unless they say otherwise
     * @param timeout how long everything may take together
     * @throws io.interlock.InvalidSettingException if requests may not go there
     */
    public HttpExchange post(URI url, Map<String, String> headers, byte[] body, Duration timeout) {
        return new HttpExchange(this, rules.require(url), HttpExchange.head(url, headers, body.length), body, timeout);
    }

    /** Cancels requests under way, and lets go of its timers. */
    @Override
    public void close() {
        closed = true;
        timers.close();
        underWay.forEach(HttpExchange::cancel);
    }

    void begin(HttpExchange exchange) {
        underWay.add(exchange);
        if (closed) {
            exchange.cancel();
        }
    }

    void end(HttpExchange exchange) {
        underWay.remove(exchange);
    }

    public HttpRules rules() {
        return rules;
    }

    /** Ends requests when their time is over; closed with this. */
    public Timers timers() {
        return timers;
    }

    SSLSocketFactory tls() {
        return tls;
    }

    /**
     * The addresses of {@code host}, all of them allowed.
     *
     * @throws ForbiddenAddressException if one is not
     */
    List<InetAddress> addresses(String host) throws UnknownHostException {
        List<InetAddress> addresses = resolver.resolve(host);
        for (InetAddress address : addresses) {
            if (!rules.allows(address)) {
                throw new ForbiddenAddressException(host, address);
            }
        }
        return addresses;
    }

    @FunctionalInterface
    interface Resolver {

        Resolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

        List<InetAddress> resolve(String host) throws UnknownHostException;
    }

    /** A host has an address to which no request may go. Nothing was sent. */
    public static final class ForbiddenAddressException extends InterlockException {

        private static final long serialVersionUID = 1L;

        ForbiddenAddressException(String host, InetAddress address) {
            super("host '" + host + "' has the address " + address.getHostAddress()
                    + ", which is not public; if requests may go there, add its network to private-networks");
        }
    }
}

package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.math.BigInteger;
import java.net.IDN;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where requests may go. Nowhere, unless it is said.
 *
 * <p>A host must be named, and all addresses it has must be public ones or lie in a network that is named too. Names are compared
 * as they are resolved: without case and without a dot at the end.
 */
public final class HttpRules {

    private static final Pattern HOST = Pattern.compile("(\\*\\.)?[a-z0-9]([a-z0-9._-]*[a-z0-9])?|\\[[0-9a-f:.]+]");

    private static final List<Network> NOT_PUBLIC = Stream.of(
                    "0.0.0.0/8", // this network
                    "10.0.0.0/8", // private
                    "100.64.0.0/10", // behind a carrier's NAT; also the metadata of Alibaba Cloud
                    "127.0.0.0/8", // this machine
                    "168.63.129.16/32", // Azure, to its own machines
                    "169.254.0.0/16", // this link; also the metadata of most clouds
                    "172.16.0.0/12", // private
                    "192.0.0.0/24", // protocols
                    "192.0.2.0/24", // documentation
                    "192.88.99.0/24", // relays to IPv6
                    "192.168.0.0/16", // private
                    "198.18.0.0/15", // benchmarks
                    "198.51.100.0/24", // documentation
                    "203.0.113.0/24", // documentation
                    "224.0.0.0/4", // multicast
                    "240.0.0.0/4", // reserved, and broadcast
                    "2001::/23", // protocols, among them tunnels that carry IPv4 addresses
                    "2001:db8::/32", // documentation
                    "2002::/16", // tunnels that carry IPv4 addresses
                    "3fff::/20") // documentation
            .map(Network::parse)
            .toList();

    /** All public addresses of IPv6 begin with it; loopback, private, link-local, multicast and mapped ones do not. */
    private static final Network GLOBAL_UNICAST = Network.parse("2000::/3");

    private final List<String> hosts;
    private final List<Network> networks;

    private HttpRules(List<String> hosts, List<Network> networks) {
        this.hosts = List.copyOf(hosts);
        this.networks = List.copyOf(networks);
    }

    /**
     * Allows these hosts.
     *
     * @param hosts each a name, or {@code *.example.com} for all names below that; a literal IPv6 address stands in brackets
     */
    public static HttpRules hosts(List<String> hosts) {
        List<String> plain = new ArrayList<>();
        for (String host : hosts) {
            String normal = host.startsWith("*.") ? "*." + normal(host.substring(2)) : normal(host);
            if (!HOST.matcher(normal).matches()) {
                throw new InvalidSettingException(
                        "allow-hosts", host, "is no host", "write it as api.example.com or *.example.com");
            }
            plain.add(normal);
        }
        return new HttpRules(plain, List.of());
    }

    /**
     * This, and lets these hosts have addresses that are not public.
     *
     * @param networks each a range like {@code 10.1.0.0/16}, {@code 127.0.0.1/32} or {@code fd00::/8}
     */
    public HttpRules networks(List<String> networks) {
        return new HttpRules(hosts, networks.stream().map(Network::parse).toList());
    }

    /**
     * {@code url}, if requests may go to its host.
     *
     * @throws InvalidSettingException if not, or if it is no plain URL of HTTP
     */
    public URI require(URI url) {
        requireWeb("url", url, shown(url));
        if (!allowsHost(url.getHost())) {
            throw new InvalidSettingException(
                    "url", shown(url), "goes to a host that is not allowed", "add it to allow-hosts, now " + hosts);
        }
        return url;
    }

    /**
     * Refuses what is no plain URL of HTTP.
     *
     * @param shown what people may see of {@code url}
     */
    public static void requireWeb(String setting, URI url, String shown) {
        String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        if (!List.of("http", "https").contains(scheme)
                || url.getHost() == null
                || url.getRawUserInfo() != null
                || url.getRawFragment() != null) {
            throw new InvalidSettingException(
                    setting, shown, "is not a web address without user and fragment", "write https://host/path");
        }
    }

    boolean allowsHost(String name) {
        String normal = normal(name);
        return hosts.stream()
                .anyMatch(host -> host.startsWith("*.") ? normal.endsWith(host.substring(1)) : normal.equals(host));
    }

    /** Whether requests may go to {@code address}, given that its host is allowed. */
    boolean allows(InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address)) || isPublic(address);
    }

    /** Without the user's name and password, and without a query, which may hold secrets too. */
    public static String shown(URI url) {
        return url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort())
                + (url.getRawPath() == null ? "" : url.getRawPath());
    }

    /** A host's name as it is compared, looked up and checked: ASCII, in small letters, without a dot at the end. */
    static String normal(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        try {
            return IDN.toASCII(name).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException impossible) {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Whether it is of the public internet, and not this machine, its neighbours, the cloud it runs in, or of a range that stands for
     * something else. What is not known to be public is not.
     */
    private static boolean isPublic(InetAddress address) {
        // An IPv4 address inside an IPv6 one is, to Java, the IPv4 address.
        boolean known = address.getAddress().length == 4 || GLOBAL_UNICAST.contains(address);
        return known && NOT_PUBLIC.stream().noneMatch(network -> network.contains(address));
    }

    /** A range of addresses, as in {@code 10.1.0.0/16} or {@code fd00::/8}. */
    public record Network(InetAddress first, int bits) {

        // What cannot be a name: nothing is looked up to read a range.
        private static final Pattern LITERAL =
                Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

        /**
         * Reads a range; an address alone is a range of one.
         *
         * @throws InvalidSettingException if it is none
         */
        public static Network parse(String text) {
            int slash = text.indexOf('/');
            String address = slash < 0 ? text : text.substring(0, slash);
            if (!LITERAL.matcher(address).matches()) {
                throw unreadable(text);
            }
            try {
                InetAddress first = InetAddress.getByName(address);
                int most = first.getAddress().length * 8;
                int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
                if (bits < 0 || bits > most) {
                    throw unreadable(text);
                }
                return new Network(first, bits);
            } catch (UnknownHostException | NumberFormatException wrong) {
                throw unreadable(text);
            }
        }

        public boolean contains(InetAddress address) {
            byte[] mine = first.getAddress();
            byte[] other = address.getAddress();
            int rest = mine.length * 8 - bits;
            return mine.length == other.length
                    && new BigInteger(1, mine).shiftRight(rest).equals(new BigInteger(1, other).shiftRight(rest));
        }

        @Override
        public String toString() {
            return first.getHostAddress() + "/" + bits;
        }

        private static InvalidSettingException unreadable(String text) {
            return new InvalidSettingException(
                    "network", text, "is no range of addresses", "write it as 10.1.0.0/16 or fd00::/8");
        }
    }
}

package io.interlock.engine.http;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells addresses of the public internet from all others: this machine, its neighbours, the cloud it runs in, and ranges that
 * stand for something else. What is not known to be public is not.
 */
final class PublicAddresses {

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

    private PublicAddresses() {}

    static boolean contain(InetAddress address) {
        // An IPv4 address inside an IPv6 one is, to Java, the IPv4 address.
        boolean known = address.getAddress().length == 4 || GLOBAL_UNICAST.contains(address);
        return known && NOT_PUBLIC.stream().noneMatch(network -> network.contains(address));
    }
}

package io.interlock.engine.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks up the addresses of a host. */
@FunctionalInterface
interface Resolver {

    /** That of the machine. */
    Resolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    List<InetAddress> resolve(String host) throws UnknownHostException;
}

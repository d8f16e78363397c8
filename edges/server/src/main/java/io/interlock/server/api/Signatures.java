package io.interlock.server.api;

import io.interlock.access.AccessKey;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** Knows callers of an operation by what they signed, beside those that show an API key. */
public interface Signatures {

    /** Whether the request claims to be signed, by somebody who could be known: only then its body is read. */
    boolean expects(RoutingContext context);

    /** Who signed it; empty if nobody known did. */
    Optional<AccessKey> recognise(RoutingContext context, Buffer body);
}

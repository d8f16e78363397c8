package io.interlock.server.http;

import io.interlock.server.problem.Problem;
import io.vertx.ext.web.RoutingContext;

/** Told of requests that were answered with a problem. Never waits, and never throws. */
@FunctionalInterface
public interface RefusalListener {

    /** The request of {@code context} is refused with {@code problem}. */
    void refused(RoutingContext context, Problem problem);
}

/**
 * Requests over HTTP and their signatures: {@link io.interlock.engine.http.PinnedHttp} sends only to the hosts and networks it is
 * allowed to reach.
 */
@NullMarked
package io.interlock.engine.http;

import org.jspecify.annotations.NullMarked;

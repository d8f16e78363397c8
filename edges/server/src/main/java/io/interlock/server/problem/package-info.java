/** What can go wrong over HTTP: one catalogue, and its problems as RFC 9457 says them. */
@NullMarked
package io.interlock.server.problem;

import org.jspecify.annotations.NullMarked;

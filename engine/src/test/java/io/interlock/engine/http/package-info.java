/** Tests of requests, with real servers on the loopback. */
@NullMarked
package io.interlock.engine.http;

import org.jspecify.annotations.NullMarked;

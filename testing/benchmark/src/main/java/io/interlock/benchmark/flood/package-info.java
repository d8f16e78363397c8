/** {@code ./interlock flood}: what the requests of one tenant cost another. */
@NullMarked
package io.interlock.benchmark.flood;

import org.jspecify.annotations.NullMarked;

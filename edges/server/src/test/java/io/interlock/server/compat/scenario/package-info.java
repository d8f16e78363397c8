/** What the five documents want to see, at two instances on each store. */
@NullMarked
package io.interlock.server.compat.scenario;

import org.jspecify.annotations.NullMarked;

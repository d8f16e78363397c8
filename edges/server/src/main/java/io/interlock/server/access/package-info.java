/** Who asks: API keys, people who sign in with an OpenID provider, rate limits, and the record of refusals. */
@NullMarked
package io.interlock.server.access;

import org.jspecify.annotations.NullMarked;

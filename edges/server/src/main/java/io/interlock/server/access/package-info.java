/** Who asks: API keys, sign-in of people with a session or an OpenID provider, rate limits, and the record of refusals. */
@NullMarked
package io.interlock.server.access;

import org.jspecify.annotations.NullMarked;

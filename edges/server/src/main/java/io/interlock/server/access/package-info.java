/** Authentication: API keys, tenants, rate limits, and the record of refusals. */
@NullMarked
package io.interlock.server.access;

import org.jspecify.annotations.NullMarked;

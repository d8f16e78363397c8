/** Who asks: API keys, tenants, and how often somebody may ask. */
@NullMarked
package io.interlock.server.access;

import org.jspecify.annotations.NullMarked;

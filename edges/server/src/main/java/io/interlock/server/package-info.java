/** The server: REST over the engine, tenants by API key, health and metrics. It translates and decides nothing. */
@NullMarked
package io.interlock.server;

import org.jspecify.annotations.NullMarked;

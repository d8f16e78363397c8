/** The operations of {@code /api/v1}: the contract routes and checks requests, operations answer them. */
@NullMarked
package io.interlock.server.api;

import org.jspecify.annotations.NullMarked;

/** Sign-in of people: a cookie instead of an API key. */
@NullMarked
package io.interlock.server.session;

import org.jspecify.annotations.NullMarked;

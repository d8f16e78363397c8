/** Sign-in of people with an OpenID provider. */
@NullMarked
package io.interlock.server.oidc;

import org.jspecify.annotations.NullMarked;

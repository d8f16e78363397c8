@NullMarked
package io.interlock.server.oidc;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.interlock.server.access;

import org.jspecify.annotations.NullMarked;

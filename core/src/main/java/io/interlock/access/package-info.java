/** Words about who may do what: roles, and the keys by which programs show theirs. */
@NullMarked
package io.interlock.access;

import org.jspecify.annotations.NullMarked;

/** Carries out commands: on a store, or by a server. */
@NullMarked
package io.interlock.cli.backend;

import org.jspecify.annotations.NullMarked;

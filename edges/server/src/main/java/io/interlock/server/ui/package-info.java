/** Serves the user interface. */
@NullMarked
package io.interlock.server.ui;

import org.jspecify.annotations.NullMarked;

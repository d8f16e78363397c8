/** The files of the user interface. */
@NullMarked
package io.interlock.ui;

import org.jspecify.annotations.NullMarked;

/** The user interface, as people see it. */
@NullMarked
package io.interlock.browser;

import org.jspecify.annotations.NullMarked;

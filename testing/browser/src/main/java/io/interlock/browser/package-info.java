/** Tests of the user interface in a real browser. */
@NullMarked
package io.interlock.browser;

import org.jspecify.annotations.NullMarked;

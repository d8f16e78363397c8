/** The packages as users get them. */
@NullMarked
package io.interlock.packaging;

import org.jspecify.annotations.NullMarked;

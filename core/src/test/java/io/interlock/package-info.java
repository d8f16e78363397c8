/** Tests of the core types. */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;

/** Interlock and those it is compared with, each behind the same few methods. */
@NullMarked
package io.interlock.benchmark.peer;

import org.jspecify.annotations.NullMarked;

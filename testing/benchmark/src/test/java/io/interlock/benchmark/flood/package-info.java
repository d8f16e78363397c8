/** What the flood is told; nothing here measures time. */
@NullMarked
package io.interlock.benchmark.flood;

import org.jspecify.annotations.NullMarked;

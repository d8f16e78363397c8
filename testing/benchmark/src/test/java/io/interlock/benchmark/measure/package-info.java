/** Arithmetic and output of the benchmark; nothing here measures time. */
@NullMarked
package io.interlock.benchmark.measure;

import org.jspecify.annotations.NullMarked;

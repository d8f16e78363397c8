/** Arithmetic and output of the benchmark; nothing here measures time. */
@NullMarked
package io.interlock.benchmark.report;

import org.jspecify.annotations.NullMarked;

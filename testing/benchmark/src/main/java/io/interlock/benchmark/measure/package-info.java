/** How time, rates, CPU and the work of the database are measured. */
@NullMarked
package io.interlock.benchmark.measure;

import org.jspecify.annotations.NullMarked;

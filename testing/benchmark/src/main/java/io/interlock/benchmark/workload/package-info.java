/** What is measured: one class for each kind of workload. */
@NullMarked
package io.interlock.benchmark.workload;

import org.jspecify.annotations.NullMarked;

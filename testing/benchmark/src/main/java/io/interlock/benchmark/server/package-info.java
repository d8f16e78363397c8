/** The servers that are measured, what stands between them and their clients, and the processes that are started for it. */
@NullMarked
package io.interlock.benchmark.server;

import org.jspecify.annotations.NullMarked;

/** Clusters and the jobs that move them from state to state. */
@NullMarked
package io.interlock.server.compat.clusters;

import org.jspecify.annotations.NullMarked;

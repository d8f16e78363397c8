/** Clusters and the jobs that move them from state to state. */
@NullMarked
package io.interlock.server.door.clusters;

import org.jspecify.annotations.NullMarked;

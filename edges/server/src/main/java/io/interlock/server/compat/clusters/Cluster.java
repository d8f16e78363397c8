package io.interlock.server.compat.clusters;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A cluster.
 *
 * @param id its name
 * @param status where it stands
 * @param expiresAt when its lifetime ends, or {@code null} if it has none, or is over
 */
record Cluster(ClusterId id, String status, @Nullable Instant expiresAt) {}

package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.server.Servers;
import java.nio.file.Path;

/**
 * What workloads are given.
 *
 * @param pace how long and how often to measure
 * @param servers the servers
 * @param home the root of the source tree
 * @param folder a folder on disk for files of their own
 */
public record Bench(Pace pace, Servers servers, Path home, Path folder) {}

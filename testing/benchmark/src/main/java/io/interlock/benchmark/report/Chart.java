package io.interlock.benchmark.report;

/**
 * A picture.
 *
 * @param name of its file, without ending
 * @param svg the picture itself
 */
record Chart(String name, String svg) {}

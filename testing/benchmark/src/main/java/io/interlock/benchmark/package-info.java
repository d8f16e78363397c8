/**
 * Interlock and its peers, side by side in one run on one machine. Figures from different runs or machines do not compare;
 * read the ratios.
 */
@NullMarked
package io.interlock.benchmark;

import org.jspecify.annotations.NullMarked;

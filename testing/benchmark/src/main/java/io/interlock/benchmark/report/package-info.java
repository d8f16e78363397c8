/** Bars, and what is printed and written about them: tables, lines, JSON and charts. */
@NullMarked
package io.interlock.benchmark.report;

import org.jspecify.annotations.NullMarked;

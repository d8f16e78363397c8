/** What is shown: facts, tables, JSON, times, and the two streams it goes to. */
@NullMarked
package io.interlock.cli.text;

import org.jspecify.annotations.NullMarked;

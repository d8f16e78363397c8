/** Tables, sentences, JSON and times, and the two streams they go to. */
@NullMarked
package io.interlock.cli.text;

import org.jspecify.annotations.NullMarked;

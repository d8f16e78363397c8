/**
 * The seams of time and chance: everything in Interlock that needs to know what time it is, to do something later, to run
 * beside the caller or to draw lots, is given these and reaches for nothing else. Tests give it time in hand.
 */
@NullMarked
package io.interlock.time;

import org.jspecify.annotations.NullMarked;

/** Tests of the run engine, those for every store as abstract classes. */
@NullMarked
package io.interlock.engine;

import org.jspecify.annotations.NullMarked;

/** Tests of batching. */
@NullMarked
package io.interlock.batch;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.interlock.spi.run.rules;

import org.jspecify.annotations.NullMarked;

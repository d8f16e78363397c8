@NullMarked
package io.interlock.engine.count;

import org.jspecify.annotations.NullMarked;

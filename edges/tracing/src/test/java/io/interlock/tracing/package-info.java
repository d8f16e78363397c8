@NullMarked
package io.interlock.tracing;

import org.jspecify.annotations.NullMarked;

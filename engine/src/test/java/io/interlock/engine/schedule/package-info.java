@NullMarked
package io.interlock.engine.schedule;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.interlock.engine.notify;

import org.jspecify.annotations.NullMarked;

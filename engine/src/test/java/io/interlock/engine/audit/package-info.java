@NullMarked
package io.interlock.engine.audit;

import org.jspecify.annotations.NullMarked;

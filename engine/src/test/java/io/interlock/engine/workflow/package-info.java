@NullMarked
package io.interlock.engine.workflow;

import org.jspecify.annotations.NullMarked;

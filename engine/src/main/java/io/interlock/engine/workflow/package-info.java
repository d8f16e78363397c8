/** Workflows: one execution at a time, and one for each event. */
@NullMarked
package io.interlock.engine.workflow;

import org.jspecify.annotations.NullMarked;

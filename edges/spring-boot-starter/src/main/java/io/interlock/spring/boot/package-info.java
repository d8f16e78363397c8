/** Locks and {@link io.interlock.spring.ExclusiveRun} in a Spring Boot application, set up by {@code interlock.*} properties. */
@NullMarked
package io.interlock.spring.boot;

import org.jspecify.annotations.NullMarked;

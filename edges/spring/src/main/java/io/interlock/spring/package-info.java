/**
 * {@link io.interlock.spring.ExclusiveRun} for the methods of Spring beans. Switched on by {@link
 * io.interlock.spring.EnableExclusiveRun}, or by the Spring Boot starter.
 */
@NullMarked
package io.interlock.spring;

import org.jspecify.annotations.NullMarked;

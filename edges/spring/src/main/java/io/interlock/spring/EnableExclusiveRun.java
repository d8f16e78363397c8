package io.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Switches {@link ExclusiveRun} on in a Spring application without Boot. It needs a bean of type {@link io.interlock.locks.Locks},
 * and uses one of type {@link ExclusiveRunSettings} if there is one.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(ExclusiveRunConfiguration.class)
public @interface EnableExclusiveRun {}

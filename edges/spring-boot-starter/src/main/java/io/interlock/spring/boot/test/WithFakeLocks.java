package io.interlock.spring.boot.test;

import io.interlock.spring.boot.InterlockAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Gives a test of a Spring Boot application {@link FakeLocks}, and {@link io.interlock.spring.ExclusiveRun} on them. Put it beside
 * {@code @SpringBootTest}, or beside a slice such as {@code @DataJdbcTest}.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(FakeLocks.class)
@ImportAutoConfiguration(InterlockAutoConfiguration.class)
public @interface WithFakeLocks {}

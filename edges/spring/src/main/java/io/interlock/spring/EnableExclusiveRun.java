package io.interlock.spring;

import io.interlock.locks.Locks;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Switches {@link ExclusiveRun} on in a Spring application without Boot. It needs a bean of type {@link io.interlock.locks.Locks},
 * and uses one of type {@link ExclusiveRunSettings} if there is one.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(EnableExclusiveRun.Beans.class)
public @interface EnableExclusiveRun {

    /** The beans behind it. */
    @Configuration(proxyBeanMethods = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    class Beans {

        // Static, and all it needs on demand: it is made before every bean that it has to look at.
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static ExclusiveRunPostProcessor exclusiveRunPostProcessor(
                ConfigurableListableBeanFactory beans,
                ObjectProvider<Locks> locks,
                ObjectProvider<ExclusiveRunSettings> settings) {
            return new ExclusiveRunPostProcessor(
                    new ExclusiveRunMethods(beans, () -> settings.getIfAvailable(ExclusiveRunSettings::defaults)),
                    locks::getObject);
        }
    }
}

package io.interlock.spring;

import io.interlock.locks.Locks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The beans behind {@link EnableExclusiveRun}. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class ExclusiveRunConfiguration {

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

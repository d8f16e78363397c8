package io.interlock.spring;

import io.interlock.locks.Locks;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Gives beans with {@link ExclusiveRun} methods a proxy that runs those under their keys. It goes around all advice that is there already,
 * in particular around {@code @Transactional}, so that a transaction has ended before its key is free. Only {@code @Async}, which
 * comes later, goes around it: the key is taken on the thread that does the work.
 */
final class ExclusiveRunPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final transient ExclusiveRunMethods methods;
    private final transient Supplier<Locks> locks;

    ExclusiveRunPostProcessor(ExclusiveRunMethods methods, Supplier<Locks> locks) {
        this.methods = methods;
        this.locks = locks;
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
        this.advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        return methods.find(method, type) != null;
                    }
                },
                new ExclusiveRunInterceptor(methods, locks));
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        methods.add(type, AopUtils.isJdkDynamicProxy(bean));
        return super.postProcessAfterInitialization(bean, beanName);
    }

    /** Now that the locks are there: refuses terms that they cannot keep, before the first method runs. */
    @Override
    public void afterSingletonsInstantiated() {
        for (ExclusiveRunPlan plan : methods.all()) {
            plan.options(locks.get());
        }
    }
}

package io.interlock.spring;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RefusedException;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import io.interlock.spring.ExclusiveRunMethods.ExclusiveRunPlan;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

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

    /** Runs the methods. Safe for many threads. */
    private static final class ExclusiveRunInterceptor implements MethodInterceptor {

        private static final Logger log = LoggerFactory.getLogger(ExclusiveRunInterceptor.class);

        private static final boolean TRANSACTIONS = ClassUtils.isPresent(
                "org.springframework.transaction.support.TransactionSynchronizationManager",
                ExclusiveRunInterceptor.class.getClassLoader());

        private final ExclusiveRunMethods methods;
        private final Supplier<Locks> locks;

        ExclusiveRunInterceptor(ExclusiveRunMethods methods, Supplier<Locks> locks) {
            this.methods = methods;
            this.locks = locks;
        }

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            Object target = call.getThis();
            Class<?> type = target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
            ExclusiveRunPlan plan = methods.find(call.getMethod(), type);
            if (plan == null) {
                return call.proceed();
            }
            LockKey key = plan.key().of(target, call.getArguments());
            requireNoTransaction(plan, key);
            Outcome<Optional<Object>> outcome;
            try {
                Locks used = locks.get();
                outcome = used.call(key, plan.maxWait(), plan.options(used), lease -> proceed(call, lease));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                CancellationException cancelled =
                        new CancellationException(InvalidExclusiveRunException.name(plan.method())
                                + " did not run: interrupted while it waited for " + key);
                cancelled.initCause(stopped);
                throw cancelled;
            } catch (Checked failure) {
                throw failure.thrown;
            }
            if (outcome instanceof Outcome.AlreadyRunning<?> busy) {
                return refused(plan, busy.refusal());
            }
            return ((Outcome.Ran<Optional<Object>>) outcome).value().orElse(null);
        }

        // An InterruptedException of the method itself must not look like one of the wait.
        private static Optional<Object> proceed(MethodInvocation call, Lease lease) throws Checked {
            Lease before = CurrentLease.replace(lease);
            try {
                return Optional.ofNullable(call.proceed());
            } catch (RuntimeException | Error failure) {
                throw failure;
            } catch (Exception failure) {
                throw new Checked(failure);
            } catch (Throwable failure) {
                throw new UndeclaredThrowableException(failure);
            } finally {
                CurrentLease.replace(before);
            }
        }

        private static @Nullable Object refused(ExclusiveRunPlan plan, Refusal refusal) {
            // A thread that asks for what it holds is a mistake of the program, not a conflict.
            if (!plan.skips() || refusal instanceof Refusal.HeldByCaller) {
                throw new RefusedException(refusal);
            }
            Method method = plan.method();
            log.debug("skipped {}: {}", InvalidExclusiveRunException.name(method), refusal.explanation());
            return method.getReturnType() == Optional.class ? Optional.empty() : null;
        }

        private static void requireNoTransaction(ExclusiveRunPlan plan, LockKey key) {
            if (TRANSACTIONS
                    && !plan.insideTransactions()
                    && TransactionSynchronizationManager.isActualTransactionActive()) {
                throw new IllegalStateException(InvalidExclusiveRunException.name(plan.method())
                        + " was called inside of a transaction, which would commit after " + key
                        + " is free again; call it outside of the transaction, put @ExclusiveRun on the method that begins it,"
                        + " or set interlock.inside-transactions=true");
            }
        }

        private static final class Checked extends Exception {

            private static final long serialVersionUID = 1L;

            private final Exception thrown;

            Checked(Exception thrown) {
                super(thrown);
                this.thrown = thrown;
            }
        }
    }
}

package io.interlock.spring;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The key of an {@link ExclusiveRun} method: a constant, or an expression over the method's arguments. Safe for many threads. */
final class KeyExpression {

    private static final Pattern EXPRESSION = Pattern.compile("[#']");
    private static final Pattern BY_POSITION = Pattern.compile("[ap]\\d+");
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final String tenant;
    private final String text;
    private final BeanFactory beans;
    private final @Nullable SpelExpression expression;
    private final @Nullable LockKey constant;

    /**
     * Reads {@code text}.
     *
     * @throws InvalidExclusiveRunException if it is no valid key and no expression over the arguments of {@code method}
     */
    KeyExpression(Method method, String tenant, String text, BeanFactory beans) {
        this.method = method;
        this.tenant = tenant;
        this.text = text;
        this.beans = beans;
        boolean constantText = !EXPRESSION.matcher(text).find();
        this.constant = constantText ? constant() : null;
        this.expression = constantText ? null : expression();
    }

    /** The text, as the developer wrote it. */
    String text() {
        return text;
    }

    /** The key of one call. */
    LockKey of(@Nullable Object target, @Nullable Object[] arguments) {
        if (expression == null) {
            return Objects.requireNonNull(constant);
        }
        Root root = new Root(method, target);
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, method, arguments, NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        Object value;
        try {
            value = expression.getValue(context);
        } catch (EvaluationException failure) {
            throw problem("cannot be evaluated: " + failure.getMessage(), "correct it, or the arguments of the call");
        }
        if (value == null || value.toString().isBlank()) {
            throw problem("gives no key for this call, but '" + value + "'", "call the method with what the key needs");
        }
        return value instanceof LockKey whole ? whole : LockKey.of(tenant, value.toString());
    }

    private InvalidSettingException problem(String what, String nextStep) {
        return new InvalidSettingException("key of " + InvalidExclusiveRunException.name(method), text, what, nextStep);
    }

    private LockKey constant() {
        try {
            return LockKey.of(tenant, text);
        } catch (InterlockException invalid) {
            throw new InvalidExclusiveRunException(
                    method, "has an invalid key: " + invalid.getMessage(), "choose another key");
        }
    }

    private SpelExpression expression() {
        SpelExpression parsed;
        try {
            parsed = PARSER.parseRaw(text);
        } catch (ParseException failure) {
            throw new InvalidExclusiveRunException(
                    method,
                    "has the key " + text + ", which is no SpEL expression: " + failure.getMessage(),
                    "write a plain key without # and ', or an expression such as 'ledger/' + #tenant");
        }
        List<String> known = names();
        for (String variable : variables(parsed.getAST(), new ArrayList<>())) {
            if (!known.contains(variable) && !isPosition(variable)) {
                throw new InvalidExclusiveRunException(
                        method,
                        "has the key " + text + ", but the method has no argument #" + variable,
                        NAMES.getParameterNames(method) == null
                                ? "compile with -parameters, or write #p0 for the first argument"
                                : "use one of " + known + ", or #p0 for the first argument");
            }
        }
        return parsed;
    }

    private List<String> names() {
        List<String> known = new ArrayList<>(List.of("root", "this"));
        @Nullable String[] parameters = NAMES.getParameterNames(method);
        if (parameters != null) {
            for (String parameter : parameters) {
                if (parameter != null) {
                    known.add(parameter);
                }
            }
        }
        return known;
    }

    private boolean isPosition(String variable) {
        return BY_POSITION.matcher(variable).matches()
                && Integer.parseInt(variable.substring(1)) < method.getParameterCount();
    }

    private static List<String> variables(SpelNode node, List<String> found) {
        if (node instanceof VariableReference) {
            found.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            variables(node.getChild(i), found);
        }
        return found;
    }

    /**
     * What {@code #root} is in a key.
     *
     * @param method the method
     * @param target the bean behind the proxy
     */
    record Root(Method method, @Nullable Object target) {}
}

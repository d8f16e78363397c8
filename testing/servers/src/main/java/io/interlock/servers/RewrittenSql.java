package io.interlock.servers;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that rewrite statements before they prepare them. */
public final class RewrittenSql {

    private RewrittenSql() {}

    /** Connections from {@code raw} that prepare the text rewritten by {@code change}. */
    public static DataSource of(DataSource raw, UnaryOperator<String> change) {
        return wrap(DataSource.class, raw, "getConnection", connection -> connection(connection, change), null);
    }

    private static Object connection(Object raw, UnaryOperator<String> change) {
        return wrap(Connection.class, (Connection) raw, "prepareStatement", UnaryOperator.identity(), change);
    }

    private static <T> T wrap(
            Class<T> type,
            T real,
            String method,
            UnaryOperator<Object> changeResult,
            @Nullable UnaryOperator<String> changeText) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> {
                    boolean meant = called.getName().equals(method);
                    if (meant && changeText != null) {
                        given[0] = changeText.apply((String) given[0]);
                    }
                    try {
                        Object result = called.invoke(real, given);
                        return meant ? changeResult.apply(result) : result;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                }));
    }
}

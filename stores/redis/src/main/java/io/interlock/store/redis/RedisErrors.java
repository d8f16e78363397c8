package io.interlock.store.redis;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Interprets the errors of Redis and its driver. */
final class RedisErrors {

    private RedisErrors() {}

    /** The failure of a future. */
    static Throwable unwrapped(Exception failure) {
        Throwable cause = failure.getCause();
        return failure instanceof ExecutionException && cause != null ? cause : failure;
    }

    /** Whether a retry may help: the connection broke, or Redis is temporarily busy. */
    static boolean mayPass(Throwable failure) {
        RedisCommandExecutionException answer = causeIn(failure, RedisCommandExecutionException.class);
        if (answer != null) {
            return answer instanceof RedisLoadingException
                    || answer instanceof RedisBusyException
                    || answer instanceof RedisReadOnlyException;
        }
        return causeIn(failure, SSLHandshakeException.class) == null;
    }

    private static <X extends Throwable> @Nullable X causeIn(Throwable failure, Class<X> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return kind.cast(cause);
            }
        }
        return null;
    }

    /** The innermost message. */
    static String summary(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage();
        return message == null ? innermost.getClass().getSimpleName() : message;
    }

    /** Why a store could not be opened, by what the user can do about it. */
    static InterlockException whileOpening(RedisSettings settings, StoreUnavailableException failure) {
        RedisCommandExecutionException answer = causeIn(failure, RedisCommandExecutionException.class);
        String name = settings.displayName();
        if (answer == null || answer.getMessage() == null) {
            String problem = String.valueOf(failure.getMessage()).replace("store " + name + " ", "");
            return new StoreUnavailableException(
                    name, problem + "; check host and port in the store's URL, and that Redis runs there", failure);
        }
        String message = answer.getMessage();
        String code = message.split("[ :]", 2)[0];
        return switch (code) {
            case "WRONGPASS" ->
                InvalidSettingException.forbidden(
                        "store", name, "refused the login: wrong user or password", "correct them in the store's URL");
            case "NOAUTH" ->
                InvalidSettingException.forbidden(
                        "store", name, "requires a password", "write redis://user:password@host:port/db");
            case "NOPERM" ->
                InvalidSettingException.forbidden(
                        "store",
                        name,
                        "denies this user a required right (" + message + ")",
                        "grant it the keys and channels {" + settings.common().prefix()
                                + "}:* and the commands of the package's doc");
            case "MOVED" ->
                new UnsafeStoreException(
                        name,
                        "is a cluster node that does not serve this prefix (" + message + ")",
                        "give the address of the node that does");
            case "WRONGTYPE" ->
                new UnsafeStoreException(
                        name,
                        "has other data under {" + settings.common().prefix() + "}:store",
                        "choose another prefix");
            default ->
                message.contains("DB index")
                        ? new InvalidSettingException(
                                "store",
                                name,
                                "has no such database (" + message + ")",
                                "correct the number at the end")
                        : failure;
        };
    }
}

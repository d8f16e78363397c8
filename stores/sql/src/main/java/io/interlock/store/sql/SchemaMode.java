package io.interlock.store.sql;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import java.util.Arrays;
import java.util.Locale;

/** What opening a store does about its tables; the URL option {@value #OPTION}. */
public enum SchemaMode {
    /** Brings them up to date. */
    APPLY,
    /** Refuses to open unless they are up to date, and changes nothing. */
    VALIDATE,
    /** Does not check them: the operator is responsible for them. */
    NONE;

    public static final String OPTION = "migrate";

    /**
     * The mode a URL asks for; {@link #APPLY} if it does not say.
     *
     * @throws InvalidSettingException if the option is none of the modes
     */
    public static SchemaMode of(StoreUrl url) {
        String text = url.option(OPTION, APPLY.word());
        return Arrays.stream(values())
                .filter(mode -> mode.word().equals(text))
                .findFirst()
                .orElseThrow(() -> new InvalidSettingException(
                        OPTION, text, "is not a way to treat the schema", "write apply, validate or none"));
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableNamesTest {

    @Test
    void fillsInBothNames() {
        assertThat(new TableNames("ops", "il_").fill("SELECT * FROM ${schema}.${prefix}lease"))
                .isEqualTo("SELECT * FROM \"ops\".il_lease");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1a",
                "Upper",
                "a-b",
                "a;drop table x",
                "a\"b",
                "ä",
                "a b",
                "a234567890123456789012345678901x"
            })
    void refusesWhatIsNoPlainIdentifier(String bad) {
        assertThatThrownBy(() -> new TableNames("main", bad))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("prefix '" + bad + "'")
                .hasMessageContaining("31 characters");
        assertThatThrownBy(() -> new TableNames(bad, "il_")).isInstanceOf(InvalidSettingException.class);
    }

    @Test
    void theLongestNameIsAllowed() {
        String longest = "a".repeat(31);
        assertThat(new TableNames("main", longest).prefix()).isEqualTo(longest);
    }

    @Test
    void readsTheModeFromTheUrl() {
        assertThat(SchemaMode.of(StoreUrl.parse("sqlite:a"))).isEqualTo(SchemaMode.APPLY);
        assertThat(SchemaMode.of(StoreUrl.parse("sqlite:a?migrate=validate"))).isEqualTo(SchemaMode.VALIDATE);
        assertThat(SchemaMode.of(StoreUrl.parse("sqlite:a?migrate=none"))).isEqualTo(SchemaMode.NONE);
        assertThatThrownBy(() -> SchemaMode.of(StoreUrl.parse("sqlite:a?migrate=maybe")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("apply, validate or none");
    }
}

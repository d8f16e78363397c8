package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import org.junit.jupiter.api.Test;

class TextsTest {

    @Test
    void whatCannotBeKeptIsMarkedForPeopleAndRefusedForPrograms() {
        assertThat(Texts.shown("a\u0000b\uD800c\uDC00d")).isEqualTo("a?b?c?d");
        assertThat(Texts.shown("é\uD83D\uDE80\n")).isEqualTo("é\uD83D\uDE80\n");
        assertThat(Texts.exact("name", "é\uD83D\uDE80")).isEqualTo("é\uD83D\uDE80");
        assertThatThrownBy(() -> Texts.exact("name", "x\u0000"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("U+0000");
        assertThatThrownBy(() -> Texts.exact("name", "\uDE80")).isInstanceOf(InvalidSettingException.class);
    }

    @Test
    void aPrefixEndsWhereTheNextOneBegins() {
        assertThat(Texts.behind("")).isNull();
        assertThat(Texts.behind("b/")).isEqualTo("b0");
        assertThat(Texts.behind("x\uD7FF")).isEqualTo("x\uE000");
        assertThat(Texts.behind("x\uFFFF")).isEqualTo("x" + Character.toString(0x10000));
        assertThat(Texts.behind("x" + Character.toString(0x10FFFF))).isEqualTo("y");
        assertThat(Texts.behind(Character.toString(0x10FFFF))).isNull();
    }
}

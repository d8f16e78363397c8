package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlScriptTest {

    @Test
    void cutsAtSemicolons() {
        assertThat(SqlScript.statements("SELECT 1;\nSELECT 2;\n")).containsExactly("SELECT 1", "SELECT 2");
    }

    @Test
    void theLastStatementNeedsNoSemicolon() {
        assertThat(SqlScript.statements("SELECT 1; SELECT 2")).containsExactly("SELECT 1", "SELECT 2");
    }

    @Test
    void semicolonsInQuotesDoNotCut() {
        assertThat(SqlScript.statements("SELECT 'a;b', 'it''s; fine', \"odd;name\"; SELECT 2"))
                .containsExactly("SELECT 'a;b', 'it''s; fine', \"odd;name\"", "SELECT 2");
    }

    @Test
    void semicolonsInCommentsDoNotCut() {
        assertThat(SqlScript.statements("-- first; second\nSELECT 1 /* a;b */; SELECT 2 -- c;d"))
                .containsExactly("-- first; second\nSELECT 1 /* a;b */", "SELECT 2 -- c;d");
    }

    @Test
    void commentsAloneAreNoStatement() {
        assertThat(SqlScript.statements("-- nothing\n;;/* at all */\n")).isEmpty();
    }

    @Test
    void dollarBodiesStayWhole() {
        String function = "CREATE FUNCTION f() RETURNS int AS $$ BEGIN x := 'a'; RETURN 1; END $$ LANGUAGE plpgsql";
        String tagged = "CREATE FUNCTION g() RETURNS text AS $body$ SELECT $$;$$; $body$ LANGUAGE sql";
        assertThat(SqlScript.statements(function + ";\n" + tagged + ";")).containsExactly(function, tagged);
    }

    @Test
    void aDollarThatOpensNoBodyIsText() {
        assertThat(SqlScript.statements("SELECT $1; SELECT a$b")).containsExactly("SELECT $1", "SELECT a$b");
    }

    @Test
    void aQuoteInACommentOpensNothing() {
        assertThat(SqlScript.statements("-- don't\nSELECT 1; SELECT 2")).hasSize(2);
    }
}

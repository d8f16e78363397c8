package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.cli.text.Table;
import picocli.CommandLine.Option;

/** How a table is shown. */
final class TableOptions {

    @Option(names = "--no-header", description = "Leave the table's header out")
    private boolean noHeader;

    @Option(names = "--wide", description = "All columns, however narrow the terminal is")
    private boolean wide;

    /** Shows {@code table}; where there is little room without {@code spare}, the first of them first. */
    void print(Table table, Console console, String... spare) {
        (wide ? table : table.sparing(spare)).print(console, !noHeader);
    }
}

package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Table;
import java.util.List;
import picocli.CommandLine.Option;

/** A command that lists something. */
abstract class Listing extends Answering {

    @Option(names = "--no-header", description = "Leave the table's header out")
    private boolean noHeader;

    Listing(Session session) {
        super(session);
    }

    @Override
    final int carryOut(Backend backend) throws InterruptedException {
        List<Facts> items = items(backend);
        Table table = table();
        items.forEach(item -> table.row(row(item)));
        return answer(items, table, !noHeader);
    }

    abstract List<Facts> items(Backend backend) throws InterruptedException;

    abstract Table table();

    abstract String[] row(Facts item);
}

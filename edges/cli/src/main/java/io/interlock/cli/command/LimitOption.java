package io.interlock.cli.command;

import io.interlock.cli.text.Failure;
import io.interlock.run.RunQuery;
import picocli.CommandLine.Option;

/** How many of a listing. */
final class LimitOption {

    @Option(names = "--limit", paramLabel = "N", description = "How many at the most, up to 1000 (default: 50)")
    private int limit = 50;

    int value() {
        if (limit < 1 || limit > RunQuery.MAX_LIMIT) {
            throw Failure.usage(
                    "--limit '" + limit + "' is not from 1 to " + RunQuery.MAX_LIMIT,
                    "ask for less, and for what you look for, as in --key or --since");
        }
        return limit;
    }
}

package samples.good.cli.remote;

import samples.good.spi.Contract;

/** Stands where a store stands. */
public record FarStore(Contract contract) {}

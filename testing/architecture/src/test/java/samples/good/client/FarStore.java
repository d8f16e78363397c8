package samples.good.client;

import samples.good.spi.Contract;

/** Stands where a store stands. */
public record FarStore(Contract contract) {}

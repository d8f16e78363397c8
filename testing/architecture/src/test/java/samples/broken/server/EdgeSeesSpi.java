package samples.broken.server;

import samples.broken.spi.Contract;

/** Broken: an edge talks to stores. */
record EdgeSeesSpi(Contract contract) {}

package samples.broken.cli;

import samples.broken.spi.Contract;

/** Broken: a command talks to stores, and is no worker of a server. */
record CommandSeesSpi(Contract contract) {}

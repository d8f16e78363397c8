package samples.broken.service;

import samples.broken.spi.Contract;

/** Broken: the service layer talks to stores. */
record ServiceSeesSpi(Contract contract) {}

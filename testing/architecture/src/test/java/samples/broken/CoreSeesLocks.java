package samples.broken;

import samples.broken.locks.KeyEntry;

/** Broken: core knows who uses it. */
record CoreSeesLocks(KeyEntry door) {}

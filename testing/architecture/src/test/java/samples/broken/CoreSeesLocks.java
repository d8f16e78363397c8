package samples.broken;

import samples.broken.locks.Door;

/** Broken: core knows who uses it. */
record CoreSeesLocks(Door door) {}

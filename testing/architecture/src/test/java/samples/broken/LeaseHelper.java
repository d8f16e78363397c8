package samples.broken;

/** Broken: the name says nothing. */
final class LeaseHelper {}

package samples.broken.unmarked;

/** Broken: its package has no package-info. */
final class Unmarked {}

package samples.broken;

import org.assertj.core.api.SoftAssertions;

/** Broken: core has a dependency of its own. */
record CoreSeesLibrary(SoftAssertions library) {}

package samples.broken.service;

import org.assertj.core.api.SoftAssertions;

/** Broken: the service layer has a library of its own. */
record ServiceSeesLibrary(SoftAssertions library) {}

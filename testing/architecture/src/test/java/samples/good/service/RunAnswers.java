package samples.good.service;

import samples.good.engine.Runs;

/** Asks the engine. */
record RunAnswers(Runs runs) {}

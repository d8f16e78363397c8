package samples.broken.service;

import samples.broken.server.HttpAnswer;

/** Broken: the service layer knows HTTP. */
record ServiceSeesEdge(HttpAnswer answer) {}

package samples.broken.server;

/** A part of an edge; what it breaks is done by others. */
public final class HttpAnswer {}

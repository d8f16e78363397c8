/**
 * A worker of a server. It offers the server to its engine as a source of work, in the words of stores; nothing else of the commands knows those.
 */
@NullMarked
package io.interlock.cli.remote;

import org.jspecify.annotations.NullMarked;

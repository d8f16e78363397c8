/** The command line: finds the command, and says in an exit code and two lines what went wrong. */
@NullMarked
package io.interlock.cli;

import org.jspecify.annotations.NullMarked;

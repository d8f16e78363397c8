/** One class for each verb. */
@NullMarked
package io.interlock.cli.command;

import org.jspecify.annotations.NullMarked;

/** The JSON of runs, locks and records, and the operations that the server and the command line share. Knows neither HTTP nor a terminal. */
@NullMarked
package io.interlock.service;

import org.jspecify.annotations.NullMarked;

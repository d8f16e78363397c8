/** The demo: sample jobs, real runs, and a worker that dies now and then. */
@NullMarked
package io.interlock.server.demo;

import org.jspecify.annotations.NullMarked;

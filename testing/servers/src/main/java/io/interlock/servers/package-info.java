/** Real servers for tests and benchmarks. PostgreSQL is a Maven artifact, MariaDB must be installed. */
@NullMarked
package io.interlock.servers;

import org.jspecify.annotations.NullMarked;

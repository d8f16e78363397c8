/** Real servers for tests and benchmarks. The program of PostgreSQL comes with the build, that of MariaDB with the machine. */
@NullMarked
package io.interlock.servers;

import org.jspecify.annotations.NullMarked;

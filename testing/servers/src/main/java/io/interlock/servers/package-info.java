/** Real servers for tests and benchmarks; their programs come with the build. */
@NullMarked
package io.interlock.servers;

import org.jspecify.annotations.NullMarked;

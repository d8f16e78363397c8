/** Locks for tests of applications: granted, refused or lost on demand. */
@NullMarked
package io.interlock.spring.boot.test;

import org.jspecify.annotations.NullMarked;

/** Interlock behind the locks of Spring Integration. */
@NullMarked
package io.interlock.spring.integration;

import org.jspecify.annotations.NullMarked;

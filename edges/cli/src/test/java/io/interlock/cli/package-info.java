@NullMarked
package io.interlock.cli;

import org.jspecify.annotations.NullMarked;

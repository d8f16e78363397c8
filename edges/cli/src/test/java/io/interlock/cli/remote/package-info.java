@NullMarked
package io.interlock.cli.remote;

import org.jspecify.annotations.NullMarked;

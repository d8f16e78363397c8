@NullMarked
package io.interlock.storm;

import org.jspecify.annotations.NullMarked;

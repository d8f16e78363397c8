@NullMarked
package io.interlock.run;

import org.jspecify.annotations.NullMarked;

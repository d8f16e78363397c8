/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.service;

import org.jspecify.annotations.NullMarked;

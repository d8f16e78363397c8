package io.interlock.engine.notify;

import java.time.Duration;

/** Something that notifications come from. Belongs to one thread. */
interface Stream {

    /** How long to rest when there is nothing to tell. */
    Duration POLL = Duration.ofSeconds(2);

    /** Tells what there is to tell, and says how long to rest. */
    Duration advance();
}

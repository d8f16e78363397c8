/** Starts runs for the messages of SQS FIFO queues. */
@NullMarked
package io.interlock.sqs;

import org.jspecify.annotations.NullMarked;

// What each page shows, in a few sentences, and the place of the documentation that has the rest.
import { root } from './api.js';

const ABOUT = {
  now: ['Now', 'How many keys are held, which of them need attention, and why. Each row names the fact, the holder, and what happens next without action.', 'concepts'],
  locks: ['Locks', 'A key is held by one run or one lease at a time. Overdue: its holder exceeds its max runtime, or its lease has expired. Waiting: runs wait, and none has it yet. Closing: it was taken from its holder, which may still write until its lease is over.', 'concepts'],
  lock: ['Lock', 'Who has the key, who waits for it and in which order, and all holds one after the other: no two at a time. An estimate (≈) comes from past runs of the same key; without past runs there is none.', 'guarantees'],
  runs: ['Runs', 'Every execution with its wait, its duration and its outcome. Dead letter: all attempts failed. Lost: the run did not renew its lease in time, and the key went to the next run.', 'run-lifecycle'],
  run: ['Run', 'Its time in the queue, its attempts and their stages, and what it wrote. A run that lost its lease may still write until it is stopped; its token is refused by resources that check it.', 'run-lifecycle'],
  queue: ['Queue', 'The runs that wait, by key, in the order in which they get it: a higher priority first, and one more for every minute of waiting. Moving a run to the front is recorded in the audit log.', 'engine#what-a-second-request-gets'],
  'dead-letters': ['Dead letters', 'Runs that used up their attempts. Retry starts a new run under the same key; discard settles it without another attempt.', 'run-lifecycle'],
  jobs: ['Jobs', 'What runs can do: their schedule and next start, their last outcome, and what happens when the key is taken.', 'engine'],
  job: ['Job', 'When it starts, how its runs fared in the last seven days, how long they take, which workers take it, and its newest runs.', 'engine'],
  workers: ['Workers', 'The processes that run jobs. A silent worker has stopped sending heartbeats; its runs end when their leases expire.', 'workers'],
  janitor: ['Janitor', 'It ends expired leases, lost runs and expired waits, and deletes old history. Every node sweeps; sweeping twice does no harm.', 'engine#janitor'],
  audit: ['Audit log', 'Every change of a lock or a run with actor and reason. Each record contains the hash of the record before it: a changed or removed record breaks the chain.', 'engine#audit'],
  settings: ['Settings', 'Preferences of this browser, the session, API keys, and the configuration in effect with the origin of each value.', 'configuration#every-property'],
};
/** The page that is open: its title, its description, and the place in the documentation. */
export const about = () => {
  const [name, id] = location.pathname.slice(root.pathname.length).split('/');
  return ABOUT[id ? name.slice(0, -1) : name || 'now'] || ABOUT.now;
};

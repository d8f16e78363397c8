// Queue: everybody who waits, the longest first.
import { age, C, html, keyed, list, may, pages, since } from '../core/page.js';

pages.queue = list({
  title: 'Queue', from: 'runs', always: { state: 'QUEUED,PENDING' }, limit: 200, fields: [['key', 'key or prefix*']], hears: /^(run|lock|reset)/,
  cli: keyed('queue'),
  rows: ({ data }) => [...data.items].reverse(),
  aside: ({ data: { items } }) => items.length > 0 && html`the oldest for ${age(since(items.at(-1).submittedAt))}`,
  columns: () => [C.run, C.key, C.state, C.job, C.waiting, C.priority, C.reason, ...may('trigger') ? [C.cancel] : []],
  none: ['Nobody waits', 'A run waits here when its key is taken and its job queues, or when no worker has taken it yet.', 'interlock runs submit JOB --key ledger/4711'],
});

// Queue: all waiting runs, the longest wait first.
import { age, C, html, keyed, list, may, pages, since } from '../core/page.js';

pages.queue = list({
  title: 'Queue', from: 'runs', always: { state: 'QUEUED,PENDING' }, limit: 200, fields: [['key', 'key or prefix*']], hears: /^(run|lock|reset)/,
  cli: keyed('queue'),
  rows: ({ data }) => [...data.items].reverse(),
  aside: ({ data: { items } }) => items.length > 0 && html`longest wait ${age(since(items.at(-1).submittedAt))}`,
  columns: () => [C.run, C.key, C.state, C.job, C.waiting, C.priority, C.reason, ...may('trigger') ? [C.cancel] : []],
  none: ['The queue is empty', 'A run waits here while its key is taken, or until a worker claims it.', 'interlock runs submit JOB --key ledger/4711'],
});

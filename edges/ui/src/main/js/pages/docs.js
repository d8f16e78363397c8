// Docs: the pages of the documentation that a user of this server needs, as they were when it was built. They are Markdown of our own.
import { asset, button, copy, href, html, pages, Problem } from '../core/page.js';

/** The pages there are; links to others stay text. */
const DOCS = ['README', 'cli', 'concepts', 'configuration', 'engine', 'guarantees', 'install', 'metrics', 'observability', 'problems', 'rest', 'run-lifecycle', 'runbooks', 'security', 'stores', 'workers'];
const START = 'README';

/** Code breaks between its words, so that tables fit. */
const breaking = code => code.split(/(?<=[./:@=,&?-])/).map((part, i) => html`${i > 0 && html`<wbr>`}${part}`);
/** Code, strong, emphasis and links: what our pages have within a line. */
const INLINE = /(`[^`]+`|\*\*.+?\*\*|\*[^*\s][^*]*\*|\[(?:[^\]`]|`[^`]*`)*\]\([^)\s]+\))/;
function inline(text) {
  return text.split(INLINE).map((part, i) => {
    if (i % 2 === 0) return part;
    if (part.startsWith('`')) return html`<code class="mono">${breaking(part.slice(1, -1))}</code>`;
    if (part.startsWith('**')) return html`<b>${inline(part.slice(2, -2))}</b>`;
    if (part.startsWith('*')) return html`<em>${inline(part.slice(1, -1))}</em>`;
    const [, words, to] = /^\[(.*)\]\((.*)\)$/.exec(part) || [];
    return link(inline(words), to);
  });
}

function link(words, to) {
  const [, name, hash = ''] = /^([\w-]+)\.md(#.*)?$/.exec(to) || [];
  if (/^https?:/.test(to)) return html`<a href=${to} target="_blank" rel="noreferrer">${words}</a>`;
  if (to.startsWith('#')) return html`<a href=${to}>${words}</a>`;
  return DOCS.includes(name) ? html`<a href=${href('docs/' + name) + hash}>${words}</a>` : words;
}

/** The text of a line without its marks. */
const plain = text => text.replace(/\[((?:[^\]`]|`[^`]*`)*)\]\([^)\s]+\)/g, '$1').replace(/[`*]/g, '');
/** As Git hosts name the places of headings. */
const anchor = text => plain(text).toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');

const BULLET = /^(\s*)(?:[-*]|\d+\.)\s+/;
const STARTS = [/^\s*$/, /^#+ /, /^```/, /^>/, /^\|/, BULLET];
/** The lines from `from` on that fit. */
function run(lines, from, fits) {
  let to = from;
  while (to < lines.length && fits(lines[to], to)) to++;
  return lines.slice(from, to);
}

const cells = row => row.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'));
function grid([titles, , ...rows]) {
  const names = cells(titles);
  return html`<div class="card wide-table" tabindex="0" role="group" aria-label="Table"><table>${names.some(name => name) && html`<thead><tr>${names.map(name => name ? html`<th scope="col">${inline(name)}</th>` : html`<td></td>`)}</tr></thead>`}
    <tbody>${rows.map(row => html`<tr>${cells(row).map((cell, i) => html`<td data-l=${plain(names[i] || '')} class=${i ? '' : 'first'}><div>${inline(cell)}</div></td>`)}</tr>`)}</tbody></table></div>`;
}

/** The items of a list: lines that are indented further than its marks belong to the item before them. */
function items(lines) {
  const [, indent] = BULLET.exec(lines[0]) || ['', ''];
  const found = [];
  lines.forEach(line => {
    const mark = BULLET.exec(line);
    if (mark && mark[1].length <= indent.length) found.push([line.slice(mark[0].length)]);
    else found.at(-1).push(line.replace(/^ {1,4}/, ''));
  });
  return found.map(item => html`<li>${blocks(item)}</li>`);
}

/** Lines as blocks, one after the other. */
function blocks(lines) {
  const made = [];
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    const [, marks, title] = /^(#+) (.*)$/.exec(line) || [];
    let used = [line];
    if (marks) {
      const id = anchor(title);
      made.push(marks.length < 3 ? html`<h2 id=${id}>${inline(title)}</h2>` : html`<h3 id=${id}>${inline(title)}</h3>`);
    } else if (line.startsWith('```')) {
      const code = run(lines, i + 1, each => !each.startsWith('```'));
      used = [line, ...code, line];
      made.push(html`<pre class="mono card" tabindex="0">${code.join('\n')}</pre>`);
    } else if (line.startsWith('>')) {
      used = run(lines, i, each => each.startsWith('>'));
      made.push(html`<blockquote>${blocks(used.map(each => each.replace(/^> ?/, '')))}</blockquote>`);
    } else if (line.startsWith('|')) {
      used = run(lines, i, each => each.startsWith('|'));
      made.push(grid(used));
    } else if (BULLET.test(line)) {
      used = run(lines, i, (each, n) => n === i || BULLET.test(each) || /^ {2,}\S/.test(each) || !STARTS.some(start => start.test(each)));
      made.push(/^\s*\d/.test(line) ? html`<ol>${items(used)}</ol>` : html`<ul>${items(used)}</ul>`);
    } else if (line.trim()) {
      used = run(lines, i, (each, n) => n === i || !STARTS.some(start => start.test(each)));
      made.push(html`<p>${inline(used.map(each => each.trim()).join(' '))}</p>`);
    }
    i += used.length;
  }
  return made;
}

pages.docs = {
  title: ({ data }) => data?.title || 'Docs',
  async load({ id, data }) {
    const name = id || START;
    if (data?.name === name) return data;
    const answer = DOCS.includes(name) ? await fetch(asset('docs/' + name + '.md')).catch(() => null) : { ok: false, status: 404 };
    if (!answer?.ok) throw new Problem(answer?.status || 0, answer ? { title: 'Page not found', detail: 'This server has no page of this name.' } : { title: 'No connection', detail: 'The server does not answer.' });
    const lines = (await answer.text()).replace(/<!--[^]*?-->\n?/g, '').split('\n');
    const first = lines.findIndex(line => line.startsWith('# '));
    const rest = lines.slice(first + 1);
    // A bare line of a listing may look like a heading.
    let code = false;
    const sections = rest.filter(line => { if (line.startsWith('```')) code = !code; return !code && line.startsWith('## '); }).map(line => line.slice(3));
    return { name, title: plain(lines[first].slice(2)), sections, body: blocks(rest) };
  },
  hears: /^$/,
  view: ({ data: { name, title, sections, body } }) => html`<div class="row head"><nav class="crumb" aria-label="Breadcrumb">${name === START ? 'Docs' : html`<a href=${href('docs')}>Docs</a>`} /</nav><h1 tabindex="-1">${title}</h1><span class="grow"></span>
    <div class="row tools">${button('Copy link', () => copy(location.href, 'Link'), 'ghost')}</div></div>
    <div class="doc">${sections.length > 2 && html`<nav class="card contents" aria-label="On this page"><h2>On this page</h2><ul class="list">${sections.map(each => html`<li><a href=${'#' + anchor(each)}>${plain(each)}</a></li>`)}</ul></nav>`}<article>${body}</article></div>`,
};

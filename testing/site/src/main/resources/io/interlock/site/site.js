// Search, theme and menu of the site. Works from files: the index is a script, search.js.
(() => {
  const root = document.body.dataset.root;
  const input = document.getElementById('site-search');
  const list = document.getElementById('site-found');
  const MOST = 12;
  let chosen = -1;

  const entries = (window.searchIndex || []).map(([title, page, address, text]) =>
    ({ title, page, address, text, title_: title.toLowerCase(), text_: text.toLowerCase() }));

  const starts = (text, word) => {
    let at = text.indexOf(word);
    while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1])) at = text.indexOf(word, at + 1);
    return at;
  };

  const score = (entry, words) => {
    let sum = 0;
    for (const word of words) {
      const inTitle = starts(entry.title_, word);
      const inText = starts(entry.text_, word);
      if (inTitle < 0 && inText < 0 && !entry.page.toLowerCase().includes(word)) return 0;
      sum += 1 + (inTitle >= 0 ? 10 : 0) + (inText >= 0 ? 1 : 0);
    }
    if (entry.title_ === words.join(' ')) sum += 20;
    if (entry.text_.includes(words.join(' '))) sum += 2;
    // Lists, and pages about the project itself, come after the others.
    return /^(reference|decisions|testing|project)\/|^coverage\.html/.test(entry.address) ? sum / 6 : sum;
  };

  const part = (entry, word) => {
    const at = Math.max(0, starts(entry.text_, word));
    const from = Math.max(0, at - 40);
    return (from ? '…' : '') + entry.text.slice(from, from + 140).trim() + (entry.text.length > from + 140 ? '…' : '');
  };

  const marked = (node, text, words) => {
    const pattern = new RegExp('(' + words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') + ')', 'gi');
    text.split(pattern).forEach((piece, i) => {
      const child = i % 2 ? document.createElement('mark') : document.createTextNode(piece);
      if (i % 2) child.textContent = piece;
      node.append(child);
    });
  };

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    chosen = -1;
    list.hidden = !words.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    input.removeAttribute('aria-activedescendant');
    if (!words.length) return;
    const found = entries.map(entry => [score(entry, words), entry]).filter(([points]) => points)
      .sort((a, b) => b[0] - a[0]).slice(0, MOST);
    found.forEach(([, entry], i) => {
      const link = document.createElement('a');
      link.id = 'site-found-' + i;
      link.setAttribute('role', 'option');
      link.href = root + entry.address;
      link.tabIndex = -1;
      const name = document.createElement('b');
      marked(name, entry.title, words);
      const where = document.createElement('span');
      marked(where, entry.page + ': ' + part(entry, words[0]), words);
      link.append(name, where);
      list.append(link);
    });
    if (!found.length) {
      const none = document.createElement('p');
      none.setAttribute('role', 'option');
      none.textContent = 'Nothing found. Try fewer or other words.';
      list.append(none);
    }
  };

  const choose = step => {
    const items = [...list.querySelectorAll('a')];
    if (!items.length) return;
    chosen = (chosen + step + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
    items[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[chosen].id);
  };

  input.addEventListener('input', show);
  input.addEventListener('focus', show);
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      const link = list.querySelectorAll('a')[Math.max(0, chosen)];
      if (link) {
        list.hidden = true;
        location.href = link.href;
      }
    } else if (event.key === 'Escape') {
      input.value = '';
      show();
      input.blur();
    }
  });
  document.addEventListener('click', event => { if (!event.target.closest('.find') || event.target.closest('#site-found a')) list.hidden = true; });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && document.activeElement !== input && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });

  document.getElementById('site-theme').addEventListener('click', () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem('interlock.theme', next); } catch {}
  });

  const menu = document.getElementById('site-menu');
  const navigation = document.getElementById('site-navigation');
  menu.addEventListener('click', () => menu.setAttribute('aria-expanded', String(navigation.classList.toggle('open'))));
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
})();

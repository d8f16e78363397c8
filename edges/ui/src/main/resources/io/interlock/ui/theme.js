// Before the first paint, so that nobody sees the other theme flash by.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem('interlock.theme'); } catch { /* storage may be forbidden */ }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = chosen || (dark ? 'dark' : 'light');
})();

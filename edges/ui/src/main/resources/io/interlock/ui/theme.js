(() => {
  let chosen = '';
  try { chosen = localStorage.getItem('interlock.theme'); } catch {}
  document.documentElement.dataset.theme = chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
})();

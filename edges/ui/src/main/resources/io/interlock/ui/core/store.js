// What a browser remembers for its user; nothing depends on it.
export const kept = (name, otherwise) => {
  try { return localStorage.getItem('interlock.' + name) ?? otherwise; } catch { return otherwise; }
};
export const keep = (name, value) => {
  try { localStorage.setItem('interlock.' + name, value); } catch { /* then it is forgotten */ }
};

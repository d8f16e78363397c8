// All that pages are made of, in one place.
export * from './api.js';
export * from './bits.js';
export * from './dialogs.js';
export * from './rows.js';
export * from './shell.js';
export * from './summary.js';
export * from './time.js';

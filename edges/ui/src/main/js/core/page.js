// Everything that pages use, in one import.
export * from './api.js';
export * from './bits.js';
export * from './dialogs.js';
export * from './rows.js';
export * from './shell.js';
export * from './strip.js';
export * from './summary.js';
export * from './time.js';

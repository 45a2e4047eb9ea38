export { createApp } from './app.js';
export type { AppOptions } from './app.js';
export { ConfigError, readConfig } from './config/config.js';
export type { Config } from './config/config.js';
export type { AppPorts, DatabaseProbe } from './ports.js';

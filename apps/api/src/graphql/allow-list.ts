import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/config.js';
import { sha256 } from './admission.js';

/**
 * Reads the file that ALLOT_GRAPHQL_ALLOW_LIST names: JSON, a list of the texts of queries, or an object whose values they are (as
 * tools write that extract queries from clients). Answers the texts by their SHA-256, which clients may send instead.
 * @throws ConfigError when there is no such file or it is something else.
 */
export function readAllowList(path: string): ReadonlyMap<string, string> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`ALLOT_GRAPHQL_ALLOW_LIST names ${path}, which cannot be read as JSON: ${why}.`]);
  }
  const texts = typeof content === 'object' && content !== null ? Object.values(content) : [];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    throw new ConfigError([`ALLOT_GRAPHQL_ALLOW_LIST names ${path}, which must have a list of queries, each a text.`]);
  }
  return new Map((texts as string[]).map((text) => [sha256(text), text]));
}

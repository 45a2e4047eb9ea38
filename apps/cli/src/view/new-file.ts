import { writeFile } from 'node:fs/promises';
import { invalidRequest } from '@allot/model';
import { reasonOf } from '../input/read-text.js';

/** Writes a file that must not be there yet: a plan that somebody reviewed is not written over. */
export async function writeNewFile(name: string, text: string): Promise<void> {
  try {
    await writeFile(name, text, { flag: 'wx' });
  } catch (error) {
    throw invalidRequest(`${name} cannot be written: ${reasonOf(error as NodeJS.ErrnoException)}.`);
  }
}

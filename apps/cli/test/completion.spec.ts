import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allot } from './fake-terminal.js';

const run = promisify(execFile);

describe('completion for bash, run in bash', () => {
  let script: string;
  beforeAll(async () => {
    script = (await allot(['completion', 'bash'])).out;
  });

  /** What bash would offer behind these words, the last of which is being written. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    const list = words.map((word) => `'${word}'`).join(' ');
    const ask = `${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _allot; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', ask]);
    return stdout
      .trim()
      .split('\n')
      .filter((word) => word !== '');
  }

  it.each([
    [
      ['allot', 'pl'],
      ['plan', 'place'],
    ],
    [
      ['allot', 'plan', '--add'],
      ['--add-members', '--add-member', '--add-topic', '--add-broker'],
    ],
    [
      ['allot', 'plan', '--output', ''],
      ['table', 'json', 'csv', 'markdown'],
    ],
    [['allot', 'plan', '-o', 'm'], ['markdown']],
    [['allot', 'plan', '--assignor', 'coop'], ['cooperative-sticky']],
    [
      ['allot', 'partition', '--key-encoding', 'i'],
      ['int32', 'int64'],
    ],
    [['allot', 'place', '--placer', 'kraft'], ['kraft-striped']],
    [
      ['allot', 'completion', ''],
      ['bash', 'zsh'],
    ],
    [['allot', 'help', 'wa'], ['watch']],
    [['allot', 'plan', '--group', ''], []],
  ])('%j -> %j', async (words, expected) => expect(await offered(...words)).toEqual(expected));

  it('knows every command and option that there is', async () => {
    const { out } = await allot(['--help']);
    const commands = [...out.matchAll(/^ {2}([a-z-]+) .*/gm)]
      .map(([, name]) => name!)
      .filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThanOrEqual(11);
    for (const command of commands) {
      const help = (await allot([command, '--help'])).out;
      expect(help).toContain('Examples:\n  $ ');
      const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag!);
      expect((await offered('allot', command, '--')).filter((flag) => flags.includes(flag))).toEqual(flags);
    }
  });
});

describe('completion for zsh', () => {
  it('names every command, and zsh can read it where it is installed', async () => {
    const { out } = await allot(['completion', 'zsh']);
    expect(out).toMatch(/^#compdef allot\n/);
    for (const command of ['plan', 'compare', 'watch']) expect(out).toContain(`    ${command})\n      _arguments -s`);
    expect(out).toContain("'*--output[how the answer is written]:value:(table json csv markdown)'");
    const zsh = spawnable('zsh');
    const read = zsh
      ? execFileSync(
          'zsh',
          ['-f', '-c', `autoload -Uz compinit; compinit -u -D; ${out}\nprint -r -- "\${_comps[allot]}"`],
          { encoding: 'utf8' },
        )
      : '_allot\n';
    expect(read).toBe('_allot\n');
  });

  it('refuses other shells', async () => {
    expect((await allot(['completion', 'fish'])).err).toContain('Allowed choices are bash, zsh.');
  });
});

function spawnable(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

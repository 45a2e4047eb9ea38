import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { runAllot, runBash } from '../../../test/support/command-line.js';

const GROUP = JSON.stringify({
  assignor: 'range',
  topics: [{ name: 'orders', partitions: 3 }],
  members: [{ id: 'c1', topics: ['orders'] }],
});

jest.setTimeout(120_000);

describe('allot as a process', () => {
  it('answers by exit code: 0 nothing, 2 something, 1 an error', async () => {
    expect((await runAllot(['plan'], { input: GROUP })).code).toBe(0);
    expect((await runAllot(['plan', '--add-members', '1'], { input: GROUP })).code).toBe(2);
    expect((await runAllot(['plan', '--remove-member', 'c9'], { input: GROUP })).code).toBe(1);
    expect((await runAllot(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('stops without a word when its reader has seen enough', async () => {
    const { out, err } = await runBash('seq 1 300000 | { allot partition -p 12; echo "code $?" >&2; } | head -1');
    expect([out, err]).toEqual([' 3  1\n', 'code 141\n']);
  });

  it('says so where the output cannot be written', async () => {
    const { err } = await runBash('allot plan > /dev/full; echo "code $?" >&2', { input: GROUP });
    expect(err).toMatch(/^error: The output cannot be written: .*ENOSPC.*\n {2}what to do: .*\ncode 1\n$/m);
    expect(err).not.toContain('    at ');
  });

  it('needs nobody to read what it says beside the answer', async () => {
    const { out, code } = await runBash('allot plan --add-members 1 2>&- | tail -1', { input: GROUP });
    expect([code, out.trim().length > 0]).toEqual([0, true]);
  });

  it('says what it does when that takes more than a second, and Ctrl-C ends it at once', async () => {
    // Takes the question and never answers.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const argv = ['compare', '--server', `http://127.0.0.1:${port}`, '--group', 'g'];
    const { code, signal, out, err } = await runAllot(argv, {
      onStart: (child) => void child.stderr!.on('data', () => child.kill('SIGINT')),
    });
    silent.close();
    expect(err).toMatch(/^allot: comparing .*\.\.\. \d+ s\n/);
    expect([code, signal, out]).toEqual([null, 'SIGINT', '']);
  });
});

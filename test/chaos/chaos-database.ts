import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A PostgreSQL that can be restarted and crashed under the replicas. */
export class ChaosDatabase {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: Interface,
    private current: URL,
  ) {}

  static async start(): Promise<ChaosDatabase> {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const args = ['--no-warnings', '--import', './test/support/typescript.mjs', './test/chaos/database-host.ts'];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    return new ChaosDatabase(child, lines, new URL((JSON.parse(line) as { url: string }).url));
  }

  get port(): number {
    return Number(this.current.port);
  }

  /** Its URL, through a proxy on another port if one is given. */
  url(port = this.port): string {
    const url = new URL(this.current);
    url.port = String(port);
    return url.href;
  }

  /** Resolves when it serves again. */
  async command(word: 'restart' | 'crash'): Promise<void> {
    const answered = once(this.lines, 'line') as Promise<[string]>;
    this.child.stdin!.write(`${word}\n`);
    const [line] = await answered;
    this.current = new URL((JSON.parse(line) as { url: string }).url);
  }

  async stop(): Promise<void> {
    this.child.stdin!.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { DockerfileParser, type Copy } from 'dockerfile-ast';
import { parse } from 'yaml';
import { describe, expect, it } from '@jest/globals';

/** Where no container engine runs, the container files are held against the rules that matter. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const dockerfile = DockerfileParser.parse(read('Dockerfile'));
const instructions = dockerfile.getInstructions();
const named = (keyword: string) => instructions.filter((instruction) => instruction.getKeyword() === keyword);
const compose = parse(read('docker-compose.yml'), { merge: true });

/** The stage that a COPY takes its files from; undefined: the build context. */
function fromStage(copy: Copy): string | undefined {
  return (
    copy
      .getFlags()
      .find((flag) => flag.getName() === 'from')
      ?.getValue() ?? undefined
  );
}

describe('Dockerfile', () => {
  it('builds in one stage and runs from another, on pinned images', () => {
    const images = dockerfile.getFROMs().map((from) => from.getImage()!);
    expect(images).toHaveLength(2);
    for (const image of images) expect(image).toMatch(/^node:\d+\.\d+\.\d+-/);
    expect(fromStage(dockerfile.getCOPYs().at(-1)!)).toBe('build');
  });

  it('does not run as root, and the code is not its to change', () => {
    const last = dockerfile.getFROMs().at(-1)!.getRange().start.line;
    const users = named('USER').filter((user) => user.getRange().start.line > last);
    expect(users.map((user) => user.getArgumentsContent())).toEqual(['node']);
    expect(read('Dockerfile')).toContain('--chown=root:root');
  });

  it('copies only what exists, and starts what the build makes', () => {
    for (const copy of dockerfile.getCOPYs()) {
      if (fromStage(copy) !== undefined) continue;
      const sources = copy.getArguments().slice(0, -1);
      for (const source of sources)
        expect([source.getValue(), existsSync(new URL(`../../${source.getValue()}`, import.meta.url))]).toEqual([
          source.getValue(),
          true,
        ]);
    }
    const start = JSON.parse(read('package.json')).scripts.start as string;
    expect(named('CMD').at(-1)!.getArgumentsContent()).toBe(
      JSON.stringify(start.split(' ').slice(1)).replaceAll(',', ', '),
    );
  });

  it('has a health check, uses no ADD, and passes no secret as a build argument', () => {
    expect(named('HEALTHCHECK')).toHaveLength(1);
    expect(named('ADD')).toEqual([]);
    expect(named('ARG')).toEqual([]);
  });

  it('ignores what must not get into an image', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['**/node_modules', '.git', '.allot', '**/dist']) expect(ignored).toContain(name);
  });
});

describe('docker-compose.yml', () => {
  it('publishes ports on loopback only, since there is no access control', () => {
    for (const [name, service] of Object.entries<{ ports?: string[] }>(compose.services)) {
      for (const port of service.ports ?? [])
        expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:\d+:\d+$/)]);
    }
    expect(compose.services.db.ports).toBeUndefined();
  });

  it('starts replicas on one database, after it is healthy', () => {
    const urls = ['allot-1', 'allot-2'].map((name) => compose.services[name].environment.DATABASE_URL);
    expect(new Set(urls).size).toBe(1);
    expect(urls[0]).toMatch(/^postgresql:\/\/allot:.*@db:5432\/allot$/);
    expect(compose.services['allot-1'].depends_on.db.condition).toBe('service_healthy');
    expect(compose.services.db.image).toMatch(/^postgres:(15|16|17|18)\.\d+/);
    expect(compose.services.db.volumes[0].split(':')[0] in compose.volumes).toBe(true);
  });
});

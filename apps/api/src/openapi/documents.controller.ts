import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Header, NotFoundException, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Produces } from '../http/media-types.js';
import { PROBLEM_TYPES, problemTypePath } from '../problems/problem-types.js';
import { VERSION } from '../version.js';
import { DOCS_PAGE } from './docs-page.js';

/** The committed documents: a test holds them equal to the code, so nothing is generated at run time. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

const READER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The API's description of itself: the OpenAPI document with a reader, the GraphQL schema, the kinds of problems. */
@ApiExcludeController()
@Controller()
export class DocumentsController {
  /** What a person finds who follows the printed address of the API. */
  @Get(['', 'v1'])
  index(): object {
    return { name: 'Allot', version: VERSION, docs: '/docs', openapi: '/v1/openapi.json', graphql: '/graphql' };
  }

  @Get('v1/openapi.json')
  @Produces('application/json', 'application/vnd.oai.openapi+json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  openApi(): Promise<Buffer> {
    return readFile(join(PACKAGE, 'openapi.json'));
  }

  @Get('v1/schema.graphql')
  @Produces('text/plain', 'application/graphql')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  schema(): Promise<Buffer> {
    return readFile(join(PACKAGE, 'schema.graphql'));
  }

  @Get('docs')
  @Produces('text/html')
  @Header('Content-Type', 'text/html; charset=utf-8')
  docs(): string {
    return DOCS_PAGE;
  }

  @Get('docs/:file')
  @Produces('*/*', ...Object.values(READER_FILES).map((type) => type.split(';')[0]!))
  async readerFile(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const type = Object.hasOwn(READER_FILES, file) ? READER_FILES[file] : undefined;
    if (type === undefined) throw new NotFoundException();
    void reply.type(type).header('Cache-Control', 'public, max-age=86400');
    const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
    return readFile(join(folder, file));
  }

  @Get('problems/:slug')
  problem(@Param('slug') slug: string): object {
    for (const [code, type] of PROBLEM_TYPES) {
      if (problemTypePath(code) === `/problems/${slug}`) return { type: `/problems/${slug}`, code, ...type };
    }
    throw new NotFoundException();
  }
}

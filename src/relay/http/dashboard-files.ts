import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'ghtml';
import { ANY_PAGE } from './known-routes';

/** Paths that never belong to the dashboard, even if no route matches. */
const RESERVED = /^\/(api|hooks|oauth|login|socket\.io|healthz|readyz|metrics)(\/|$)/;

const NOT_BUILT =
  'The dashboard has not been built. Run npm run build. The API and the command line work without it.\n';

/** Written by the build (`ui/list-files.mts`): the paths of all other files, in JSON. */
const FILE_LIST = 'files.json';

/** Where `index.html` names the hub; the dashboard reads it before it has a session. */
const HUB_NAME = '<meta name="hub-name" content="" />';

/** Serves the dashboard from `folder`. It routes in the browser, so any other page gets `index.html`. */
export async function serveDashboard(
  fastify: FastifyInstance,
  folder: string,
  hubName: () => string,
): Promise<void> {
  await fastify.register(fastifyStatic, { serve: false, preCompressed: true });

  const config = { open: true };
  fastify.get<{ Params: { '*': string } }>(ANY_PAGE, { config }, async (request, reply) => {
    const path = `/${request.params['*']}`;
    if (RESERVED.test(path)) return reply.callNotFound();
    // Monitors, and a first check by hand, request the root without `text/html`.
    const isIndex = path === '/' || path === '/index.html';
    if (!isIndex && (await isFile(folder, path))) return send(reply, folder, path);
    if (!isIndex && !isPageView(request.headers.accept)) return reply.callNotFound();
    if (await isFile(folder, '/index.html')) return sendIndex(reply, folder, hubName());
    return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
  });
}

async function sendIndex(reply: FastifyReply, folder: string, hubName: string): Promise<FastifyReply> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = page.replace(HUB_NAME, () => html`<meta name="hub-name" content="${hubName}" />`);
  return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(named);
}

/**
 * Names under `/assets` contain a hash of the content, so they are cached forever; so is the font, whose name must
 * change with it. Everything else is revalidated.
 * The build also writes compressed versions of large files, which are sent to clients that accept them.
 */
function send(reply: FastifyReply, folder: string, path: string): FastifyReply {
  const isImmutable = path.startsWith('/assets/');
  reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  return reply.sendFile(path, folder, { cacheControl: false });
}

/** Only a page view asks for `text/html`; a missing script or image is a 404. */
export function isPageView(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}

/** Only what the build has listed is served, whatever else is in the folder. */
async function isFile(folder: string, path: string): Promise<boolean> {
  const listed = await readFile(join(folder, FILE_LIST), 'utf8').then(JSON.parse, () => []);
  return (listed as string[]).includes(path.slice(1));
}

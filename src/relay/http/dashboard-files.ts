import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** What never belongs to the dashboard, whether there is a route or not. */
const RESERVED = /^\/(api|hooks|oauth|login|socket\.io|healthz|readyz|metrics)(\/|$)/;

const NOT_BUILT =
  'The dashboard was not built: npm run build makes it. The API and the command line work without it.\n';

/**
 * Serves the dashboard from `folder`. Its screens have addresses of their own, so whatever else a browser asks for as a
 * page gets the same one document.
 */
export async function serveDashboard(fastify: FastifyInstance, folder: string): Promise<void> {
  await fastify.register(fastifyStatic, { serve: false, preCompressed: true });

  const config = { open: true };
  fastify.get<{ Params: { '*': string } }>('/*', { config }, async (request, reply) => {
    const path = `/${request.params['*']}`;
    if (RESERVED.test(path)) return reply.callNotFound();
    if (await isFile(folder, path)) return send(reply, folder, path);
    if (!isPageView(request.headers.accept)) return reply.callNotFound();
    if (await isFile(folder, '/index.html')) return send(reply, folder, '/index.html');
    return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
  });
}

/**
 * Names under `/assets` carry a hash of their content; everything else is asked for again each time. The build puts
 * compressed twins beside what is large, which go to whoever takes them.
 */
function send(reply: FastifyReply, folder: string, path: string): FastifyReply {
  const lasting = path.startsWith('/assets/');
  reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
  return reply.sendFile(path, folder, { cacheControl: false });
}

/** A script or an image that is missing is missing: only what asks for HTML by name is somebody looking at a screen. */
function isPageView(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}

async function isFile(folder: string, path: string): Promise<boolean> {
  const file = join(folder, path);
  if (!file.startsWith(folder + sep) || file.includes('\0')) return false;
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

import type { FastifyRequest } from 'fastify';
import type { RouteAccess } from './access.decorator';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method is safe: it changes nothing (RFC 9110, 9.2.1). */
export const isSafe = (method: string): boolean => SAFE_METHODS.has(method);

/** A route without `@Access` requires `admin`, and is recorded under its own name if it may change something. */
export function routeAccess({ method, routeOptions: { config, url = '' } }: FastifyRequest): RouteAccess {
  const action = isSafe(method) ? null : `${method} ${url}`;
  return config.access ?? { scope: 'admin', action, showsSecret: false };
}

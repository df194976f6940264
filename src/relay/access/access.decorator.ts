import { applyDecorators } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../contract/token';
import { RequiresScope } from '../http/responses';
import { extendRouteConfig } from '../http/route-config';

/** How a route is authorized and recorded in the audit log. */
export interface RouteAccess {
  /** The scope an API token needs; null: any login is sufficient. The admin token and a session have all scopes. */
  scope: Scope | null;
  /** The action's name in the audit log; null for routes that change nothing. */
  action: string | null;
  /** Whether the response shows a secret, which is shown only once. */
  showsSecret: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

/** Marks a route as open: neither a token nor a session is required. */
export const Open = (): MethodDecorator => extendRouteConfig({ open: true });

/** Declares the scope that a route requires, and the action under which it is recorded in the audit log. */
export function Access(
  scope: Scope | null,
  action: string | null = null,
  { showsSecret = false }: { showsSecret?: boolean } = {},
): MethodDecorator {
  return applyDecorators(extendRouteConfig({ access: { scope, action, showsSecret } }), RequiresScope(scope));
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method is safe: it changes nothing (RFC 9110, 9.2.1). */
export const isSafe = (method: string): boolean => SAFE_METHODS.has(method);

/** A route without `@Access` requires `admin`, and is recorded under its own name if it may change something. */
export function routeAccess({ method, routeOptions: { config, url = '' } }: FastifyRequest): RouteAccess {
  const action = isSafe(method) ? null : `${method} ${url}`;
  return config.access ?? { scope: 'admin', action, showsSecret: false };
}

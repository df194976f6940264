import type { FastifyContextConfig } from 'fastify';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Neither a token nor a session is required. */
    open?: boolean;
    /** The maximum body size in bytes, if it is not the default. */
    bodyLimit?: number;
  }
}

/** Adds to a route's Fastify configuration: `RouteConfig` alone replaces what another decorator has set. */
export function extendRouteConfig(part: FastifyContextConfig): MethodDecorator {
  return (prototype, method, descriptor) => {
    const before = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as
      | object
      | undefined;
    return RouteConfig({ ...before, ...part })(prototype, method, descriptor);
  };
}

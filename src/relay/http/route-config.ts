import type { FastifyContextConfig } from 'fastify';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';

/** Adds to a route's Fastify configuration: `RouteConfig` alone replaces what another decorator has set. */
export function extendRouteConfig(part: FastifyContextConfig): MethodDecorator {
  return (prototype, method, descriptor) => {
    const before = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as
      object | undefined;
    return RouteConfig({ ...before, ...part })(prototype, method, descriptor);
  };
}

import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No token and no session is asked for. */
    open?: boolean;
    /** The largest body in bytes, where it is not the usual. */
    bodyLimit?: number;
  }
}

/** Marks a route as open: no token and no session is asked for. */
export const Open = (): MethodDecorator => RouteConfig({ open: true });

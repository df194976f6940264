import { RouteConfig } from '@nestjs/platform-fastify';

/** The largest body that a route takes, where it is more than the usual 16 KiB. */
export const BodyLimit = (bytes: number): MethodDecorator => RouteConfig({ bodyLimit: bytes });

/** For a filter, of 16,384 characters at most, or a thousand ids. */
export const FILTER_BYTES = 128 * 1024;
/** For a target with its certificates, or an event's payload. */
export const LARGE_BYTES = 256 * 1024;

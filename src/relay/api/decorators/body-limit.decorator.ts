import { extendRouteConfig } from '../../http/route-config';

/** The maximum body size of a route, if it exceeds the default of 16 KiB. */
export const BodyLimit = (bytes: number): MethodDecorator => extendRouteConfig({ bodyLimit: bytes });

/** For a filter (up to 16,384 characters) or a thousand ids. */
export const FILTER_BYTES = 128 * 1024;
/** For a target with its certificates, or an event's payload. */
export const LARGE_BYTES = 256 * 1024;

import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { HttpException, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_PARSED_HEAD_BYTES } from './check-head';
import { serveDashboard } from './dashboard-files';
import { describeProblem } from './describe-problem';
import { ignoreUpgrades } from './ignore-upgrades';
import { VERSION_HEADER } from '../../contract/constants';
import { VERSION } from '../ground/version';
import { ConnectionLimit } from './connection-limit';
import type { Log } from '../ground/log';
import { NestLog } from './nest-log';
import { IncomingBodies } from './incoming-bodies';
import { keepUntilAnswered } from './keep-until-answered';
import { KnownRoutes } from './known-routes';
import { LOGIN_PATH, rejectAnonymous } from './reject-anonymous';
import { serveInTurn } from './serve-in-turn';
import { paceRequests } from './pace-requests';
import { ProblemFilter } from './problem.filter';
import { readJsonBodies } from './read-json-body';
import { UnknownInputInterceptor } from './unknown-input.interceptor';
import { MAX_ENTITY_LENGTH } from '../../contract/primitives';
import { sendProblem } from './send-problem';
import { ClientAddress } from '../settings/client-address';
import type { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';
import { answerMalformed } from './malformed-request';
import { ValidateInput } from './validate-input.pipe';

/** Maximum body sizes of a route by default, and of an open one, such as the login. */
const BODY_LIMIT_BYTES = 16 * 1024;
const OPEN_BODY_LIMIT_BYTES = 4 * 1024;
/** The longest is an entity, each character of which takes up to 9 when it is percent-encoded; Fastify allows 100. */
const PARAMETER_LIMIT = 9 * MAX_ENTITY_LENGTH;

const SOCKET_PATH = '/socket.io/';
/** A request, headers and body, must arrive within this time. */
const REQUEST_TIMEOUT_MS = 30_000;
/** After this, an inactive connection is closed, unless its request is being answered. */
const CONNECTION_TIMEOUT_MS = 60_000;

export interface HttpApplicationOptions {
  publicAddress: PublicAddress;
  log: Log;
  /** The built dashboard; by default next to the compiled daemon. */
  dashboardFolder?: string;
}

/**
 * Creates the application for `module`, not listening yet, with everything that all routes share: limits, security
 * headers, error responses, the dashboard's files. Responses to `/hooks` get no headers: no browser calls it, and
 * thousands of requests a second make every microsecond count.
 */
export async function createHttpApplication(
  module: Type | DynamicModule,
  { publicAddress, log, dashboardFolder = join(__dirname, '../../ui') }: HttpApplicationOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    logger: false,
    trustProxy: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    forceCloseConnections: 'idle',
    // Notifications on open connections are still stored and acknowledged while the server closes.
    return503OnClosing: false,
    clientErrorHandler(this: FastifyInstance, error, socket) {
      answerMalformed(this.server, error as NodeJS.ErrnoException, socket);
    },
    // `serveInTurn` rejects requests without a Host header; Node itself would read any number of them.
    http: { requireHostHeader: false, maxHeaderSize: MAX_PARSED_HEAD_BYTES },
    // A URL that the router cannot decode reaches neither a handler nor the filter.
    frameworkErrors: ({ statusCode = 400 }: FastifyError, _: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, describeProblem(new HttpException('The URL cannot be decoded.', statusCode))),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(new ProblemFilter(log));
  app.useGlobalInterceptors(new UnknownInputInterceptor());
  app.useGlobalPipes(new ValidateInput());

  const fastify = adapter.getInstance();
  paceRequests(fastify);
  readJsonBodies(fastify, app.get(IncomingBodies));
  const openPaths = new Set([LOGIN_PATH]);
  const routes = app.get(KnownRoutes);
  fastify.addHook('onRoute', (route) => {
    routes.add(route);
    const { open = false, bodyLimit } = route.config ?? {};
    if (open) openPaths.add(route.url);
    route.bodyLimit = open ? OPEN_BODY_LIMIT_BYTES : (bodyLimit ?? BODY_LIMIT_BYTES);
  });
  await app.register(helmet, securityHeaders(publicAddress.url.startsWith('https:')));
  fastify.addHook('onRequest', (request, reply, done) => {
    keepUntilAnswered(request.raw, reply.raw);
    if (!request.url.startsWith('/hooks/')) {
      reply.helmet();
      // Overridden for the dashboard's files.
      reply.header('cache-control', 'no-store');
      if (request.url.startsWith('/api/')) reply.header(VERSION_HEADER, VERSION);
    }
    done();
  });
  await serveDashboard(fastify, dashboardFolder, () => publicAddress.hubName);
  const clientAddress = app.get(ClientAddress);
  const settings = app.get(Settings);
  const namesUser = (request: IncomingMessage) =>
    settings.userHeaders !== null && clientAddress.isFromProxy(request);
  const connections = app.get(ConnectionLimit);
  connections.attach(fastify.server);
  fastify.addHook('preClose', (done) => {
    connections.closeUnused(fastify.server);
    done();
  });
  ignoreUpgrades(fastify.server, SOCKET_PATH);
  // By default Node drops what comes after a thousand headers, and a check of what is sent twice would not see it.
  fastify.server.maxHeadersCount = 0;
  fastify.server.keepAliveTimeout = settings.keepAliveS * 1_000;
  fastify.server.once('listening', () => {
    rejectAnonymous(fastify.server, openPaths, namesUser);
    serveInTurn(fastify.server);
  });
  return app;
}

/** Over plain http, as on loopback, HSTS would redirect browsers to https, where nothing listens. */
function securityHeaders(secure: boolean): FastifyHelmetOptions {
  return {
    global: false,
    strictTransportSecurity: secure,
    crossOriginOpenerPolicy: secure,
    xFrameOptions: { action: 'deny' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'object-src': ["'none'"],
        'base-uri': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
      },
    },
  };
}

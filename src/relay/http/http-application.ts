import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { HttpException, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { serveDashboard } from './dashboard-files';
import { describeProblem } from './describe-problem';
import { ignoreUpgrades } from './ignore-upgrades';
import { LimitConnections } from './limit-connections';
import type { Log } from '../ground/log';
import { NestLog } from './nest-log';
import { IncomingBodies } from './incoming-bodies';
import { isPublic } from '../network/network-of';
import { serveInTurn } from './serve-in-turn';
import { paceRequests } from './pace-requests';
import { ProblemFilter } from './problem.filter';
import { readJsonBodies } from './read-json-body';
import { RefuseUnknownInput } from './refuse-unknown-input';
import { sendProblem } from './send-problem';
import { ClientAddress } from '../settings/client-address';
import type { PublicAddress } from '../settings/public-address';
import { answerUnreadable } from './unreadable-request';
import { ValidateInput } from './validate-input.pipe';

/** What a route takes that says nothing else, and what an open one does: a login. */
const BODY_LIMIT_BYTES = 16 * 1024;
const OPEN_BODY_LIMIT_BYTES = 4 * 1024;
/** The key in `/hooks/<key>` is longer than the 100 characters that Fastify allows. */
const PARAMETER_LIMIT = 256;
/** Where socket.io takes requests. */
const SOCKET_PATH = '/socket.io/';
/** A request must be in, headers and body, within this time. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A connection on which nothing moves for so long is ended; the slowest answer of ours is a target's test, 10 s. */
const CONNECTION_TIMEOUT_MS = 60_000;

export interface HttpApplicationParts {
  publicAddress: PublicAddress;
  log: Log;
  /** Where the built dashboard lies; beside the compiled daemon unless given. */
  dashboardFolder?: string;
}

/**
 * The application over `module`, not yet listening. Routes, guards and gateways are the modules'; here is what holds for
 * all of them: limits, headers, errors, the dashboard's files. `/hooks` gets no headers: its caller is no browser, and
 * every microsecond there is paid a thousand times a second.
 */
export async function createHttpApplication(
  module: Type | DynamicModule,
  { publicAddress, log, dashboardFolder = join(__dirname, '../../ui') }: HttpApplicationParts,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    logger: false,
    trustProxy: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    forceCloseConnections: 'idle',
    // What comes in over a connection that is still open while the server closes can still be stored and answered.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    // `serveInTurn` looks for it: Node would answer any number of requests without one.
    http: { requireHostHeader: false },
    // An address that the router cannot read never reaches a handler, nor the filter.
    frameworkErrors: ({ statusCode = 400 }: FastifyError, _: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, describeProblem(new HttpException('The address cannot be read.', statusCode))),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(new ProblemFilter(log));
  app.useGlobalInterceptors(new RefuseUnknownInput());
  app.useGlobalPipes(new ValidateInput());

  const fastify = adapter.getInstance();
  paceRequests(fastify);
  readJsonBodies(fastify, app.get(IncomingBodies));
  fastify.addHook('onRoute', (route) => {
    const { open = false, bodyLimit } = route.config ?? {};
    route.bodyLimit = open ? OPEN_BODY_LIMIT_BYTES : (bodyLimit ?? BODY_LIMIT_BYTES);
  });
  await app.register(helmet, securityHeaders(publicAddress.url.startsWith('https:')));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/hooks/')) {
      reply.helmet();
      // The dashboard's files say otherwise.
      reply.header('cache-control', 'no-store');
    }
    done();
  });
  await serveDashboard(fastify, dashboardFolder);
  const client = app.get(ClientAddress);
  const isShared = (address: string) => !isPublic(address) || client.isTrusted(address);
  const connections = new LimitConnections(fastify.server, { isShared, goesFirst, log });
  fastify.addHook('preClose', (done) => {
    connections.endUnused();
    done();
  });
  ignoreUpgrades(fastify.server, SOCKET_PATH);
  fastify.server.once('listening', () => serveInTurn(fastify.server));
  return app;
}

/** A notification is answered whatever else is asked. */
const goesFirst = ({ url = '' }: IncomingMessage) => url.startsWith('/hooks/');

/** Over plain http, which is right on loopback, a browser would be sent to an https that is not there. */
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

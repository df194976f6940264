import { Injectable, type INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ROUTE_RULES, type RouteRule } from '../access/route-rules';
import { VERSION } from '../ground/version';
import { PublicAddress } from '../settings/public-address';
import { documentRoutes } from '../http/responses';
import { describeSchema } from './describe-schema';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The API described from its own routes and schemas; made when it is first asked for. */
@Injectable()
export class OpenApi {
  private app: INestApplication | null = null;
  private made: string | null = null;

  constructor(private readonly address: PublicAddress) {}

  describe(app: INestApplication): void {
    this.app = app;
  }

  get text(): string {
    this.made ??= this.make();
    return this.made;
  }

  private make(): string {
    const swagger = require('@nestjs/swagger') as typeof import('@nestjs/swagger');
    documentRoutes(swagger);
    const head = new swagger.DocumentBuilder()
      .setTitle('Switchboard')
      .setDescription(
        'Stored events, their deliveries, and what they hang on. Errors are RFC 9457 problems with a stable code. What a route does not take, in its query or its body, is refused by its name.',
      )
      .setVersion(VERSION)
      .setOpenAPIVersion('3.1.1')
      .addServer(this.address.url)
      .addBearerAuth()
      .addSecurityRequirements('bearer')
      .build();
    const document = swagger.SwaggerModule.createDocument(this.app!, head, {
      operationIdFactory: (_controller, method) => method,
      standardSchemaConverter: describeSchema,
    });
    return JSON.stringify(complete(document));
  }
}

/** Says of each operation what the generator cannot know. */
function complete(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (operation === undefined) continue;
      nameProblems(operation);
      nameScope(operation, ROUTE_RULES[`${method.toUpperCase()} ${route}`]);
    }
  }
  return document;
}

/** Errors have a media type of their own (RFC 9457). */
function nameProblems({ responses }: Operation): void {
  const refusal = responses['default'];
  if (refusal === undefined || !('content' in refusal)) return;
  const [content] = Object.values(refusal.content ?? {});
  if (content !== undefined) refusal.content = { 'application/problem+json': content };
}

/** The scopes of a bearer token have no place of their own in OpenAPI. */
function nameScope(operation: Operation, rule: RouteRule | undefined): void {
  if (rule === undefined) return;
  operation.description =
    rule.scope === null ? 'Any token will do.' : `An API token needs the scope \`${rule.scope}\`.`;
  Object.assign(operation, { 'x-required-scope': rule.scope });
}

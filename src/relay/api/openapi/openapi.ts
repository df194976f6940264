import { Injectable, type INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Scope } from '../../../contract/token';
import { VERSION } from '../../ground/version';
import { PublicAddress } from '../../settings/public-address';
import { documentRoutes, REQUIRED_SCOPE } from '../../http/responses';
import { describeSchema } from './describe-schema';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The OpenAPI document, generated from routes and schemas on first request. */
@Injectable()
export class OpenApi {
  private app: INestApplication | null = null;
  private document: string | null = null;

  constructor(private readonly address: PublicAddress) {}

  useApplication(app: INestApplication): void {
    this.app = app;
  }

  get text(): string {
    this.document ??= this.generate();
    return this.document;
  }

  private generate(): string {
    const swagger = require('@nestjs/swagger') as typeof import('@nestjs/swagger');
    documentRoutes(swagger);
    const head = new swagger.DocumentBuilder()
      .setTitle('Switchboard')
      .setDescription(
        'Stored events, their deliveries, and everything they depend on. Errors are RFC 9457 problem details with a stable `code`. Unknown query parameters and body fields are rejected by name.',
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
    return JSON.stringify(completeDocument(document));
  }
}

/** Adds what the generator cannot derive from the routes. */
function completeDocument(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (operation === undefined) continue;
      setProblemMediaType(operation);
      describeScope(operation);
    }
  }
  return document;
}

/** Errors are `application/problem+json` (RFC 9457). */
function setProblemMediaType({ responses }: Operation): void {
  const error = responses['default'];
  if (error === undefined || !('content' in error)) return;
  const [content] = Object.values(error.content ?? {});
  if (content !== undefined) error.content = { 'application/problem+json': content };
}

/** OpenAPI has no field for the scopes of a bearer token. */
function describeScope(operation: Operation & { [REQUIRED_SCOPE]?: Scope | null }): void {
  const scope = operation[REQUIRED_SCOPE];
  if (scope === undefined) return;
  operation.description =
    scope === null ? 'Any token is sufficient.' : `An API token needs the scope \`${scope}\`.`;
}

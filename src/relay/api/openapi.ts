import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ROUTE_RULES } from '../access/route-rules';
import { VERSION } from '../version';
import { documentRoutes } from './answers';

/** The API described from its own routes and schemas; made when it is first asked for. */
export class OpenApi {
  private app: INestApplication | null = null;
  private made: string | null = null;

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
        'Stored events, their deliveries, and what they hang on. Errors are RFC 9457 problems with a stable code.',
      )
      .setVersion(VERSION)
      .addBearerAuth()
      .addSecurityRequirements('bearer')
      .build();
    return JSON.stringify(withScopes(swagger.SwaggerModule.createDocument(this.app!, head)));
  }
}

/** Says of each operation which scope an API token needs: a bearer token's scopes have no place of their own in OpenAPI 3.0. */
function withScopes(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      const rule = ROUTE_RULES[`${method.toUpperCase()} ${route}`];
      if (operation === undefined || rule === undefined) continue;
      operation.description =
        rule.scope === null ? 'Any token will do.' : `An API token needs the scope \`${rule.scope}\`.`;
      Object.assign(operation, { 'x-required-scope': rule.scope });
    }
  }
  return document;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, type INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { problem } from '../../../contract/problem';
import { VERSION } from '../../ground/version';
import { PublicAddress } from '../../settings/public-address';
import { documentRoutes } from '../../http/responses';
import { completeOperation, type Example, type Operation } from './complete-operation';
import { describeSchema } from './describe-schema';
import { ProblemResponses } from './problem-responses';
import { tagDescriptions } from './tags';

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
        'Stored events, their deliveries, and everything they depend on. Errors are RFC 9457 problem details with a stable `code`. Unknown query parameters and body fields are rejected by name. A body has at most 32 levels and 20,000 values, and no member `__proto__` or `constructor`.',
      )
      .setLicense('MIT', 'https://opensource.org/license/mit')
      .setVersion(VERSION)
      .setOpenAPIVersion('3.1.1')
      .addServer(this.address.url)
      .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
      .addSecurityRequirements('bearer')
      .build();
    const document = swagger.SwaggerModule.createDocument(this.app!, head, {
      operationIdFactory: (_controller, method) => method,
      standardSchemaConverter: describeSchema,
    });
    return JSON.stringify(completeDocument(document)).replaceAll('#/$defs/', '#/components/schemas/');
  }
}

/** Adds what the generator cannot derive from the routes. */
function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const problems = new ProblemResponses();
  const examples = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8')) as Record<
    string,
    Example
  >;
  for (const [path, item] of Object.entries(document.paths))
    for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
      const operation: Operation | undefined = item[method];
      if (operation !== undefined) completeOperation(path, method, operation, problems, examples);
    }
  const { schemas = {}, ...components } = document.components ?? {};
  const described = describeSchema(problem, { schemaType: 'output' });
  return {
    ...document,
    tags: tagDescriptions,
    components: {
      ...components,
      schemas: { ...schemas, ...(described?.components as typeof schemas) },
      responses: problems.components,
    },
  };
}

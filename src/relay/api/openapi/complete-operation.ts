import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import type { ProblemCode } from '../../../contract/problem-codes';
import type { Scope } from '../../../contract/token';
import { PROBLEMS, REQUIRED_SCOPE } from '../../http/responses';
import { schemaAt } from './component-schemas';
import { pathParameterOf } from './path-parameters';
import type { ProblemResponses } from './problem-responses';
import { tagOf } from './tags';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [REQUIRED_SCOPE]?: Scope | null;
  [PROBLEMS]?: ProblemCode[];
};
type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/** What a test has sent and got, as `npm run docs:client` records it. */
export interface Example {
  body?: unknown;
  status: number;
  type?: string;
  answer?: unknown;
}

/** Adds what the generator cannot derive from a route. */
export function completeOperation(
  path: string,
  method: string,
  operation: Operation,
  problems: ProblemResponses,
  examples: Readonly<Record<string, Example>>,
): void {
  const { [REQUIRED_SCOPE]: scope, [PROBLEMS]: own = [], operationId = '' } = operation;
  const parameters = (operation.parameters ?? []) as Parameter[];
  const inPath = pathParameterOf(path);
  for (const parameter of parameters) completeParameter(parameter, inPath?.schema);
  operation.tags = [tagOf(path)];
  operation.summary = inWords(operationId);
  operation.description = [...purposeOf(operation), ...scopeInWords(scope)].join('. ').concat('.');
  if (scope === undefined) operation.security = [];
  const kind = {
    needsLogin: scope !== undefined,
    changes: method !== 'get',
    hasParameter: inPath !== undefined,
    hasCursor: parameters.some(({ name }) => name === 'cursor'),
  };
  const codes = inPath === undefined ? own : [inPath.unknown, ...own];
  operation.responses = { ...problems.of(codes, kind), ...operation.responses };
  delete operation[PROBLEMS];
  requireBody(operation);
  if (examples[operationId] !== undefined) addExample(operation, examples[operationId]);
}

/** `List events` for `listEvents`. */
function inWords(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0]!.toUpperCase() + words.slice(1);
}

/** What the response to a success is, says what the operation is for. */
function purposeOf({ responses }: Operation): string[] {
  const [, first] = Object.entries(responses).findLast(([status]) => Number(status) < 400) ?? [];
  return first !== undefined && 'description' in first ? [first.description.replace(/\.$/, '')] : [];
}

/** OpenAPI has no field for the scopes of a bearer token. */
function scopeInWords(scope: Scope | null | undefined): string[] {
  if (scope === undefined) return ['It is open: no token is needed'];
  return [scope === null ? 'Any token is sufficient' : `An API token needs the scope \`${scope}\``];
}

function completeParameter(parameter: Parameter, inPath: z.ZodType | undefined): void {
  if (parameter.in === 'path' && inPath !== undefined) {
    const { $schema: _, description, ...schema } = z.toJSONSchema(inPath);
    Object.assign(parameter, { description, schema });
  }
  const { schema } = parameter as { schema?: { contentMediaType?: string; description?: string } };
  delete schema?.description;
  if (schema?.contentMediaType !== 'application/json') return;
  delete parameter.schema;
  parameter.content = { 'application/json': { schema: { $ref: '#/components/schemas/Filter' } } };
}

/** A body is required unless its schema has a default for it. */
function requireBody({ requestBody }: Operation): void {
  if (requestBody === undefined || '$ref' in requestBody) return;
  const schema = requestBody.content['application/json']?.schema;
  const reference = schema !== undefined && '$ref' in schema ? schemaAt(schema.$ref) : undefined;
  requestBody.required = reference?.safeParse(undefined).success !== true;
}

function addExample({ requestBody, responses }: Operation, example: Example): void {
  const { body, status, type = '', answer } = example;
  give(requestBody as object, 'application/json', body);
  give(responses[status] as object, type, answer);
}

/** In the plural: generators of types write the singular as a comment. */
function give(part: { content?: Record<string, object> } = {}, type: string, value: unknown): void {
  const content = part.content?.[type] ?? part.content?.['*/*'];
  if (content !== undefined && value !== undefined)
    Object.assign(content, { examples: { recorded: { value } } });
}

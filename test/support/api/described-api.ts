import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import type { TestResponse } from '../http';

export interface Schema {
  $ref?: string;
  [keyword: string]: unknown;
}
type Content = Record<string, { schema?: Schema; examples?: { recorded: { value: unknown } } }>;
interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema?: Schema;
  content?: Content;
}
interface Response {
  $ref?: string;
  description: string;
  content?: Content;
}
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
}
export interface ApiDocument {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

interface SentRequest {
  method: string;
  /** With its query. */
  path: string;
  contentType?: string | null;
  body?: string | null;
}

/** RFC 3339, 5.6, in capitals. */
const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The API as its OpenAPI document describes it. */
export class DescribedApi {
  readonly operations: { method: string; path: string; pattern: RegExp; operation: Operation }[];
  private readonly ajv: Ajv;
  private readonly validators = new Map<object, ValidateFunction>();

  constructor(readonly document: ApiDocument) {
    this.ajv = new Ajv({
      strict: false,
      // Most schemas see few values: half of the time to compile them counts for more than faster checks.
      inlineRefs: false,
      code: { optimize: false },
      formats: { 'date-time': DATE_TIME, uri: (text: string) => URL.canParse(text) },
    });
    this.ajv.removeKeyword('contentMediaType');
    this.ajv.addKeyword({
      keyword: 'contentMediaType',
      validate: (_: string, text: unknown) => isJson(text),
    });
    this.ajv.addSchema({ ...document, $id: 'api' });
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
        operation,
      })),
    );
  }

  /** What does not fit the schema; empty if the value does. */
  errorsOf(schema: Schema, value: unknown): string[] {
    let validate = this.validators.get(schema);
    if (validate === undefined) {
      const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
      this.validators.set(schema, (validate = this.ajv.compile(JSON.parse(text) as object)));
    }
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  }

  find(method: string, path: string): Operation | undefined {
    const [plain = ''] = path.split('?');
    const fits = this.operations.filter((one) => one.method === method && one.pattern.test(plain));
    // `/deliveries/jobs` fits `/deliveries/{id}` too.
    return fits.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0]?.operation;
  }

  /** Whether the document allows a request. */
  allows({ method, path, contentType = null, body = null }: SentRequest): boolean {
    const operation = this.find(method, path);
    if (operation === undefined || !this.allowsPath(operation, path) || !this.allowsQuery(operation, path))
      return false;
    const { requestBody } = operation;
    if (body === null || body === '') return requestBody?.required !== true && contentType !== 'x';
    const schema = requestBody?.content['application/json']?.schema;
    if (schema === undefined || contentType !== 'application/json') return false;
    return isJson(body) && this.errorsOf(schema, JSON.parse(body)).length === 0;
  }

  /** What a response has that the document does not declare. */
  undeclared(method: string, path: string, { status, headers, json }: TestResponse): string[] {
    const operation = this.find(method, path);
    if (operation === undefined) return [];
    const declared = operation.responses[String(status)] ?? operation.responses['default']!;
    const response = declared.$ref === undefined ? declared : this.responseAt(declared.$ref);
    const type = headers['content-type']?.split(';')[0] ?? '';
    const schema = response.content?.[type]?.schema;
    if (schema !== undefined) return this.errorsOf(schema, json);
    const isDeclared =
      response.content === undefined ? type === '' : type in response.content || '*/*' in response.content;
    return isDeclared ? [] : [`the content type ${type} of ${status}`];
  }

  /** A path has one parameter at most. */
  private allowsPath(operation: Operation, path: string): boolean {
    const { pattern } = this.operations.find((one) => one.operation === operation)!;
    const schema = operation.parameters?.find((one) => one.in === 'path')?.schema;
    const [, text] = pattern.exec(path.split('?', 1)[0]!) ?? [];
    if (schema === undefined || text === undefined) return true;
    return this.errorsOf(schema, decodeURIComponent(text)).length === 0;
  }

  private allowsQuery({ parameters = [] }: Operation, path: string): boolean {
    const query = new URLSearchParams(path.includes('?') ? path.slice(path.indexOf('?')) : '');
    if (parameters.some((one) => one.in === 'query' && one.required && !query.has(one.name))) return false;
    return [...new Set(query.keys())].every((name) => {
      const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
      const values = query.getAll(name);
      if (parameter?.content !== undefined)
        return values.length === 1 && this.isJsonOf(parameter, values[0]!);
      if (parameter?.schema === undefined) return false;
      const { type, items } = parameter.schema as { type?: string; items?: Schema };
      if (type === 'array')
        return values.every((value) => this.errorsOf(items!, typed(items!, value)).length === 0);
      return (
        values.length === 1 &&
        this.errorsOf(parameter.schema, typed(parameter.schema, values[0]!)).length === 0
      );
    });
  }

  private isJsonOf({ content }: Parameter, text: string): boolean {
    return (
      isJson(text) && this.errorsOf(content!['application/json']!.schema!, JSON.parse(text)).length === 0
    );
  }

  private responseAt(reference: string): Response {
    return this.document.components.responses[reference.split('/').at(-1)!]!;
  }
}

/** A value of a query as what its schema says it is. The API has no integers that JavaScript would round. */
const typed = ({ type }: Schema, text: string): unknown =>
  type === 'integer' && /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}

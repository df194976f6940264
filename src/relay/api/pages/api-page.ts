import type { OpenAPIObject } from '@nestjs/swagger';
import { html } from 'ghtml';
import { htmlPage } from '../../http/html-page';
import type { Operation } from '../openapi/complete-operation';

/** JSON Schema as far as the page shows it. */
interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}
type Contents = Record<string, { schema?: object; examples?: { recorded: { value: unknown } } }>;
interface Response {
  $ref?: string;
  description?: string;
  content?: Contents;
}
interface Route {
  method: string;
  path: string;
  operation: Operation;
}

const STYLE = `<style>
  body { display: block; }
  main { max-width: 860px; margin: 0 auto; }
  h2 { margin-top: 40px; font-size: 20px; }
  h3 { margin: 28px 0 4px; font-size: 15px; }
  dl { margin: 4px 0 12px; }
  dt { font-weight: 600; }
  dd { margin: 0 0 6px 16px; }
  pre { padding: 8px 12px; border-radius: 6px; background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere; }
</style>`;

/** The OpenAPI document as a page that needs no script. */
export function apiPage({ info, tags = [], paths, components }: OpenAPIObject): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation: operation as Operation })),
  );
  const shared = (components?.responses ?? {}) as Record<string, Response>;
  const sections = tags.map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    return html`<section>
      <h2 id="tag-${name}">${name}</h2>
      <p>${description}</p>
      !${own.map((one) => renderOperation(one, shared))}
    </section>`;
  });
  const body = html`<h1>API</h1>
    <p>!${inline(info.description)} <a href="/api/v1/openapi.json">OpenAPI document</a> (with a token)</p>
    <nav aria-label="Parts">
      !${tags.map(({ name }) => html`<a href="#tag-${name}">${name}</a>`)}<a href="#schemas">Schemas</a>
    </nav>
    !${sections}
    <section>
      <h2 id="schemas">Schemas</h2>
      !${Object.entries(components?.schemas ?? {}).map(([name, schema]) => renderSchema(name, schema as Schema))}
    </section>`;
  return htmlPage('API', { head: STYLE, body });
}

function renderOperation({ method, path, operation }: Route, shared: Record<string, Response>): string {
  const { operationId = '', summary = '', description, parameters = [], requestBody, responses } = operation;
  const body = requestBody as { required?: boolean; content: Contents } | undefined;
  const fields = (
    parameters as { name: string; required?: boolean; description?: string; schema?: Schema }[]
  ).map(({ name, required = false, description: says = '', schema = {} }) =>
    renderField(name, schema, required, says),
  );
  const answers = Object.entries(responses).map(([status, response]) =>
    renderResponse(status, response as Response, shared),
  );
  const curl = [
    `curl -X ${method.toUpperCase()} -H "authorization: Bearer <token>" "<hub>${path}"`,
    ...(body === undefined
      ? []
      : [`-H 'content-type: application/json' -d '${exampleOf(body.content) || '{}'}'`]),
  ].join(' \\\n  ');
  return html`<article>
    <h3 id="${operationId}">${summary}: <code>${method.toUpperCase()} ${path}</code></h3>
    <p>!${inline(description)}</p>
    !${fields.length > 0 ? html`<dl>!${fields}</dl>` : ''}
    !${body === undefined ? '' : html`<p>Body${body.required === true ? '' : ' (optional)'}: !${linksOf(body.content)}</p>`}
    <details>
      <summary>Answers, and a call</summary>
      <dl>!${answers}</dl>
      <pre>${curl}</pre>
      <pre>${typescriptCall(method.toUpperCase(), path, body?.content)}</pre>
    </details>
  </article>`;
}

/** With the client `switchboard-client`. */
function typescriptCall(method: string, path: string, body?: Contents): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: '<${name}>'`);
  const parts = [
    ...(names.length > 0 ? [`path: { ${names.join(', ')} }`] : []),
    ...(body === undefined ? [] : [`body: ${exampleOf(body) || '{}'}`]),
  ];
  const input = parts.length === 0 ? '' : `, { ${parts.join(', ')} }`;
  return `await client.request('${method}', '${path}'${input});`;
}

function renderResponse(status: string, response: Response, shared: Record<string, Response>): string {
  const name = response.$ref?.split('/').at(-1) ?? '';
  const { description, content = {} } = shared[name] ?? response;
  const example = exampleOf(content);
  return html`<dt>${status}</dt>
    <dd>!${inline(description)} !${linksOf(content)} !${example && html`<pre>${example}</pre>`}</dd>`;
}

/** What a test has recorded; empty if it has not. */
function exampleOf(content: Contents): string {
  const example = Object.values(content).find(({ examples }) => examples)?.examples?.recorded.value ?? '';
  return typeof example === 'string' ? example : JSON.stringify(example, null, 1);
}

const renderSchema = (name: string, { description, properties = {}, required = [] }: Schema): string =>
  html`<h3 id="${name}">${name}</h3>
    <p>!${inline(description)}</p>
    <dl>
      !${Object.entries(properties).map(([field, schema]) =>
        renderField(field, schema, required.includes(field), schema.description),
      )}
    </dl>`;

const renderField = (name: string, schema: Schema, isRequired: boolean, description?: string): string =>
  html`<dt><code>${name}</code> <small>!${typeOf(schema)}${isRequired ? ', required' : ''}</small></dt>
    <dd>!${inline(description)}</dd>`;

const linksOf = (content: Contents): string =>
  Object.entries(content)
    .map(([type, { schema }]) => html`<code>${type}</code> !${schema === undefined ? '' : typeOf(schema)}`)
    .join(', ');

/** The type in words, with a link to a named schema. */
function typeOf({ $ref, anyOf, items, type, format, enum: values, properties }: Schema): string {
  if ($ref !== undefined) return html`<a href="#${$ref.split('/').at(-1)!}">${$ref.split('/').at(-1)!}</a>`;
  if (values !== undefined) return values.map((value) => html`<code>${String(value)}</code>`).join(' ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) return html`object (${Object.keys(properties).join(', ')})`;
  return html`${[type ?? 'any value'].flat().join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}

/** Text with \`code\` marked as such. */
const inline = (text = ''): string =>
  text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
    .join('');

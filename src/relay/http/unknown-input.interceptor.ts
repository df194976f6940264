import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { RelayError } from '../ground/relay-error';

/** Nest's metadata of a decorator such as `@Query({ schema })` or `@Query('token')`. */
interface Argument {
  data?: string;
  schema?: { shape?: Record<string, unknown> };
}

interface DeclaredInput {
  /** Null: the route accepts any query, by `@Query()`. */
  query: ReadonlySet<string> | null;
  /** Its schema checks the names in it. */
  acceptsBody: boolean;
}

/**
 * Rejects input that a route does not declare: a misspelt filter would otherwise be ignored and the result be wrong.
 * Query parameters are declared by `@Query` decorators, a body by `@Body` with a strict schema.
 */
@Injectable()
export class UnknownInputInterceptor implements NestInterceptor {
  private readonly declaredInputs = new WeakMap<object, DeclaredInput>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') this.check(context);
    return next.handle();
  }

  private check(context: ExecutionContext): void {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const { query: known, acceptsBody } = this.declaredInputOf(context);
    if (known !== null) {
      const unknown = namesIn(query).filter((name) => !known.has(name));
      rejectUnknown('query', unknown, [...known]);
    }
    if (!acceptsBody) rejectUnknown('body', namesIn(body), []);
  }

  private declaredInputOf(context: ExecutionContext): DeclaredInput {
    const handler = context.getHandler();
    const input = this.declaredInputs.get(handler) ?? readDeclaredInput(context.getClass(), handler.name);
    this.declaredInputs.set(handler, input);
    return input;
  }
}

function readDeclaredInput(controller: object, method: string): DeclaredInput {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Argument
  >;
  const ofType = (type: RouteParamtypes) =>
    Object.entries(declared).flatMap(([key, argument]) => (key.startsWith(`${type}:`) ? [argument] : []));
  const queries = ofType(RouteParamtypes.QUERY);
  const names = queries.flatMap(({ data, schema }) => data ?? Object.keys(schema?.shape ?? {}));
  const isAny = queries.some(({ data, schema }) => data === undefined && schema === undefined);
  return { query: isAny ? null : new Set(names), acceptsBody: ofType(RouteParamtypes.BODY).length > 0 };
}

/** Input that is not an object has no names; the empty name stands for all of it. */
function namesIn(input: unknown): string[] {
  if (input === undefined || input === null) return [];
  return typeof input === 'object' && !Array.isArray(input) ? Object.keys(input) : [''];
}

/** @throws RelayError `invalid_request`, 400, if there are unknown names */
function rejectUnknown(part: 'query' | 'body', unknown: string[], known: string[]): void {
  if (unknown.length === 0) return;
  const message = `This route accepts no such name in its ${part}.`;
  const detail = `The ${part} contains names that this route does not accept.`;
  throw new RelayError('invalid_request', 400, detail, {
    errors: unknown.map((path) => ({ path, message })),
    remedy: known.length === 0 ? `Omit the ${part}.` : `Accepted names: ${known.join(', ')}.`,
  });
}

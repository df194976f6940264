import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { RelayError } from '../ground/relay-error';

/** What Nest keeps of a decorator such as `@Query({ schema })` or `@Query('token')`. */
interface Argument {
  data?: string;
  schema?: { shape?: Record<string, unknown> };
}

interface Input {
  /** `any`: the route takes a query as it comes, by `@Query()`. */
  query: ReadonlySet<string> | 'any';
  /** Its schema says what may be in it. */
  takesBody: boolean;
}

/**
 * Refuses what a route does not declare: a filter that is misspelt would otherwise be none, and the answer wrong. What it
 * takes of the query is what its `@Query` decorators name; a body it takes where it has a `@Body`, whose schema is strict.
 */
@Injectable()
export class RefuseUnknownInput implements NestInterceptor {
  private readonly inputs = new WeakMap<object, Input>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') this.check(context);
    return next.handle();
  }

  private check(context: ExecutionContext): void {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const { query: known, takesBody } = this.inputOf(context);
    if (known !== 'any')
      refuse(
        'query',
        namesIn(query).filter((name) => !known.has(name)),
        [...known],
      );
    if (!takesBody) refuse('body', namesIn(body), []);
  }

  private inputOf(context: ExecutionContext): Input {
    const handler = context.getHandler();
    const input = this.inputs.get(handler) ?? readInput(context.getClass(), handler.name);
    this.inputs.set(handler, input);
    return input;
  }
}

function readInput(controller: object, method: string): Input {
  const all = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Argument
  >;
  const ofType = (type: RouteParamtypes) =>
    Object.entries(all).flatMap(([key, argument]) => (key.startsWith(`${type}:`) ? [argument] : []));
  const queries = ofType(RouteParamtypes.QUERY);
  const names = queries.flatMap(({ data, schema }) => data ?? Object.keys(schema?.shape ?? {}));
  const isAny = queries.some(({ data, schema }) => data === undefined && schema === undefined);
  return { query: isAny ? 'any' : new Set(names), takesBody: ofType(RouteParamtypes.BODY).length > 0 };
}

/** Whatever is no object has no names, and is refused by the one that stands for the whole. */
function namesIn(input: unknown): string[] {
  if (input === undefined || input === null) return [];
  return typeof input === 'object' && !Array.isArray(input) ? Object.keys(input) : [''];
}

/** @throws RelayError `invalid_request` where there are names that are not known */
function refuse(part: 'query' | 'body', unknown: string[], known: string[]): void {
  if (unknown.length === 0) return;
  throw new RelayError('invalid_request', 400, `Its ${part} holds what this route does not take.`, {
    errors: unknown.map((path) => ({
      path,
      message: `This route takes nothing of that name in its ${part}.`,
    })),
    remedy: known.length === 0 ? `Leave the ${part} out.` : `What it takes there: ${known.join(', ')}.`,
  });
}

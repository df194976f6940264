import { applyDecorators, HttpCode } from '@nestjs/common';
import type { z } from 'zod';
import { problem } from '../../contract/problem';
import type { Scope } from '../../contract/token';

type Swagger = typeof import('@nestjs/swagger');

/** Decorators applied when `openapi.json` is first requested: loading the generator takes a fifth of the start time. */
const deferred: ((swagger: Swagger) => void)[] = [];

const later =
  (decorate: (swagger: Swagger) => MethodDecorator): MethodDecorator =>
  (prototype, method, descriptor) => {
    deferred.push((swagger) => decorate(swagger)(prototype, method, descriptor));
  };

/**
 * The status of a route's response, documented with the schema from which the dashboard's types are derived. With
 * several, the first is the status of a response that sets none.
 */
export function Returns(status: number, schema: z.ZodType | null, description: string): MethodDecorator {
  const response =
    schema === null ? { status, description } : { status, description, standardSchema: schema };
  const error = {
    status: 'default',
    description: 'The error (RFC 9457)',
    standardSchema: problem,
  } as const;
  return applyDecorators(
    HttpCode(status),
    later(({ ApiResponse }) => applyDecorators(ApiResponse(response), ApiResponse(error))),
  );
}

/** Documents the media types of a response that is not only JSON. */
export const Produces = (...types: string[]): MethodDecorator =>
  later(({ ApiProduces }) => ApiProduces(...types));

/** The OpenAPI extension with the scope that an operation requires; null: any token is sufficient. */
export const REQUIRED_SCOPE = 'x-required-scope';

export const RequiresScope = (scope: Scope | null): MethodDecorator =>
  later(({ ApiExtension }) => ApiExtension(REQUIRED_SCOPE, scope));

/** Excludes a controller from `openapi.json`: its routes are for browsers. */
export function Undocumented(): ClassDecorator {
  return (controller) => {
    deferred.push(({ ApiExcludeController }) => ApiExcludeController()(controller));
  };
}

/** Applies the deferred decorators. */
export function documentRoutes(swagger: Swagger): void {
  for (const decorate of deferred.splice(0)) decorate(swagger);
}

import { applyDecorators, HttpCode } from '@nestjs/common';
import type { z } from 'zod';
import type { ProblemCode } from '../../contract/problem-codes';
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
  return applyDecorators(
    HttpCode(status),
    later(({ ApiResponse }) => ApiResponse(response)),
  );
}

/** The OpenAPI extension with the codes of problems that only this operation, or few others, have. */
export const PROBLEMS = 'x-problem-codes';

const problemsOf = new WeakMap<object, ProblemCode[]>();

/** Documents what a route may answer instead, beside what routes of its kind do. May be used several times. */
export const Fails =
  (...codes: ProblemCode[]): MethodDecorator =>
  (prototype, method, descriptor) => {
    const all = problemsOf.get(descriptor.value as object) ?? [];
    all.push(...codes);
    problemsOf.set(descriptor.value as object, all);
    later(({ ApiExtension }) => ApiExtension(PROBLEMS, all))(prototype, method, descriptor);
  };

/** Documents a response that is not JSON of the contract, by its media types. */
export const Sends = (status: number, description: string, ...types: string[]): MethodDecorator =>
  later(({ ApiResponse }) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]));
    return ApiResponse({ status, description, ...(types.length > 0 && { content }) });
  });

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

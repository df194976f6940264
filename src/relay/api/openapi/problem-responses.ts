import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEM_CODES, statusesOf, type ProblemCode } from '../../../contract/problem-codes';

/** What an operation may answer, as far as it follows from its kind. */
interface Kind {
  needsLogin: boolean;
  changes: boolean;
  hasParameter: boolean;
  hasCursor: boolean;
}

const ALWAYS: ProblemCode[] = ['invalid_request', 'no_leader', 'not_leader', 'storage_failed', 'disk_full'];
const OF_LOGIN: ProblemCode[] = [
  'unauthorized',
  'token_revoked',
  'token_expired',
  'scope_missing',
  'host_rejected',
  'origin_rejected',
  'request_header_missing',
  'user_rejected',
  'delivery_rejected',
  'too_many_attempts',
];
const OF_CHANGES: ProblemCode[] = [
  'aborted',
  'body_too_large',
  'unsupported_media_type',
  'overloaded',
  'too_many_changes',
  'conflict',
];
/** Of requests with a parameter in the path, or a cursor. */
const OF_INPUT: ProblemCode[] = ['not_found', 'cursor_unknown'];
/** Of any request: they are declared once, as the default. */
const OF_HTTP: ProblemCode[] = [
  'method_not_allowed',
  'internal_error',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
  'request_abandoned',
];

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/** The error responses of operations, each kind described once. */
export class ProblemResponses {
  readonly components: Responses = {};

  /** @param own the codes of this operation alone @returns references by status */
  of(own: readonly ProblemCode[], { needsLogin, changes, hasParameter, hasCursor }: Kind): Responses {
    const common = [
      ...ALWAYS,
      ...(needsLogin ? OF_LOGIN : []),
      ...(changes ? OF_CHANGES : []),
      ...(hasParameter ? (['not_found', 'uri_too_long'] as const) : []),
      ...(hasCursor ? (['cursor_unknown'] as const) : []),
    ];
    const codes = Object.keys(PROBLEM_CODES).filter((code): code is ProblemCode =>
      [...common, ...own].includes(code as ProblemCode),
    );
    const statuses = [...new Set(codes.flatMap(statusesOf))].toSorted((a, b) => a - b);
    const responses = statuses.map((status) => {
      const here = codes.filter((code) => statusesOf(code).includes(status));
      const isOfChange = here.some((code) => OF_CHANGES.includes(code));
      const rare = here.filter((code) => own.includes(code) || OF_INPUT.includes(code));
      const name = [`Problem${status}`, ...(isOfChange ? ['change'] : []), ...rare].map(pascal).join('');
      return [String(status), this.refer(name, here)] as const;
    });
    return { ...Object.fromEntries(responses), default: this.refer('ProblemDefault', OF_HTTP) };
  }

  private refer(name: string, codes: readonly ProblemCode[]): { $ref: string } {
    this.components[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code][1]}`).join('\n'),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem', properties: { code: { enum: [...codes] } } },
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());

import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { OperatorRequest } from '../access/operator';
import { routeAccess } from '../access/access.decorator';
import { AuditedAction, runAudited } from '../ground/audit-context';
import { RelayError } from '../ground/relay-error';
import { ClientAddress } from '../settings/client-address';
import { actorOf } from './actor-of';
import { AuditStore } from './audit.store';

const MAX_FIELDS = 30;
const FIELD = /^[a-z_]{1,40}$/;

/** Records the actions of authenticated routes in the audit log, and whether they failed. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: AuditStore,
    private readonly clientAddress: ClientAddress,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const action = auditedActionOf(request, this.clientAddress.of(request));
    return action === null ? next.handle() : from(this.record(action, next));
  }

  private async record(action: AuditedAction, next: CallHandler): Promise<unknown> {
    let response: unknown;
    try {
      response = await runAudited(action, () => lastValueFrom(next.handle(), { defaultValue: undefined }));
    } catch (error) {
      await this.audit.recordFailure(action, error instanceof RelayError ? error.code : 'internal_error');
      throw error;
    }
    await this.audit.recordSuccess(action);
    return response;
  }
}

/** Null for routes that change nothing, and for open routes, which determine the actor themselves. */
function auditedActionOf(request: OperatorRequest, address: string): AuditedAction | null {
  const { action, showsSecret } = routeAccess(request);
  if (request.operator === undefined || action === null) return null;
  const { id } = request.params as { id?: string };
  return new AuditedAction({
    actor: actorOf(request.operator, request.headers),
    action,
    subject: id === undefined ? null : { id, name: null },
    fields: fieldsOf(request.body),
    showsSecret,
    address,
  });
}

/** Only the names of the input's fields: their values may be secret. */
function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.keys(body)
    .filter((name) => FIELD.test(name))
    .slice(0, MAX_FIELDS);
}

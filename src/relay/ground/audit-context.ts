import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../../contract/audit';

export interface AuditedActionInit {
  actor: Actor;
  /** Such as `target.create`. */
  action: string;
  subject?: AuditSubject | null;
  fields?: string[];
  showsSecret?: boolean;
  /** The caller's address; null for Switchboard's own actions. */
  address: string | null;
}

export interface AuditSubject {
  id: string;
  name: string | null;
}

export interface AuditedSubject {
  subject: AuditSubject | null;
  /** The names of the fields that it changes. */
  fields: string[];
}

/** An action in progress. Its audit entry is written in the transaction of its first change. */
export class AuditedAction {
  /** `open`: no change has written its audit entry yet; `taken`: one has, or is about to; `ended`: over. */
  state: 'open' | 'taken' | 'ended' = 'open';
  /** Row key of its entry, once stored. */
  entryKey: number | null = null;
  subject: AuditSubject | null;
  /** What the entries of its first change are about, if not the subject. */
  parts: readonly AuditedSubject[] | null = null;
  /** Its parts have entries of their own instead; see {@link runAuditedParts}. */
  hasParts = false;

  constructor(readonly init: AuditedActionInit) {
    this.subject = init.subject ?? null;
  }
}

const context = new AsyncLocalStorage<AuditedAction>();
let running = 0;

/** Runs `work` as part of `action`: everything it stores, at any depth, is recorded under it. */
export async function runAudited<Result>(
  action: AuditedAction,
  work: () => Promise<Result>,
): Promise<Result> {
  running += 1;
  try {
    return await context.run(action, work);
  } finally {
    action.state = 'ended';
    running -= 1;
    // While enabled, the storage triples the cost of every promise; the path of events must not pay for that.
    if (running === 0) context.disable();
  }
}

/** Runs an audited action of Switchboard itself. */
export function runAsSystem<Result>(
  init: Pick<AuditedActionInit, 'action' | 'subject' | 'showsSecret'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const actor: Actor = { kind: 'switchboard', id: null, name: null };
  return runAudited(new AuditedAction({ ...init, actor, address: null }), work);
}

/** A part of an action, with the names of the fields that it changes. */
interface AuditedPart<Result> {
  subject: AuditSubject;
  fields: string[];
  work: () => Promise<Result>;
}

/** Divides the current action into parts, such as one per target: each gets its own audit entry, the whole none. */
export function runAuditedParts<Result>(parts: AuditedPart<Result>[]): Promise<Result[]> {
  const whole = currentAction();
  if (whole !== null) whole.hasParts = true;
  return Promise.all(
    parts.map(({ subject, fields, work }) =>
      whole === null ? work() : runAudited(new AuditedAction({ ...whole.init, subject, fields }), work),
    ),
  );
}

export const currentAction = (): AuditedAction | null => context.getStore() ?? null;

/** Sets the subject of the current action if the request does not contain it: the id of a new object, a name. */
export function setAuditSubject(subject: AuditSubject): void {
  const action = currentAction();
  if (action?.state === 'open') action.subject = { id: subject.id, name: subject.name };
}

/** Names the current action if the request decides which one it is. */
export function setAuditAction(action: string): void {
  const current = currentAction();
  if (current?.state === 'open') current.init.action = action;
}

/** Replaces the given fields of the current action by those that it really changes. */
export function setAuditFields(fields: string[]): void {
  const action = currentAction();
  if (action?.state === 'open') action.init.fields = fields;
}

/** Records the current action by an entry for each part, all in the transaction of its one change. */
export function setAuditParts(parts: readonly AuditedSubject[]): void {
  const action = currentAction();
  if (action?.state !== 'open') return;
  action.parts = parts;
  action.hasParts = true;
}

/** Records that the response to the current action shows a secret, for actions where that depends on the request. */
export function showsSecret(): void {
  const action = currentAction();
  if (action?.state === 'open') action.init.showsSecret = true;
}

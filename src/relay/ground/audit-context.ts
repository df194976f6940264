import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActorKind } from '../../contract/audit';

export interface Actor {
  kind: ActorKind;
  id: string | null;
  name: string | null;
}

export interface ActDraft {
  actor: Actor;
  /** `target.create` and the like. */
  action: string;
  subject?: Subject | null;
  fields?: string[];
  showsSecret?: boolean;
  /** Of the caller; null for what Switchboard does itself. */
  address: string | null;
}

export interface Subject {
  id: string;
  name: string | null;
}

/** Something that somebody does, while it is being done. The first change that it stores takes its entry in the audit log along. */
export class Act {
  /** `open`: no change took it along yet; `taken`: one did; `ended`: it is over. */
  state: 'open' | 'taken' | 'ended' = 'open';
  /** Of its entry, once that is on disk. */
  entry: number | null = null;
  subject: Subject | null;

  constructor(readonly draft: ActDraft) {
    this.subject = draft.subject ?? null;
  }
}

const acts = new AsyncLocalStorage<Act>();
let underWay = 0;

/** Does `work` as `act`: whatever it stores, however deep below, belongs to that. */
export async function during<Result>(act: Act, work: () => Promise<Result>): Promise<Result> {
  underWay += 1;
  try {
    return await acts.run(act, work);
  } finally {
    act.state = 'ended';
    underWay -= 1;
    // Following every promise of the process makes each of them three times as dear: the way of an event is to be spared it.
    if (underWay === 0) acts.disable();
  }
}

/** What Switchboard does of its own accord, and yet belongs in the audit log. */
export function asSwitchboard<Result>(
  draft: Pick<ActDraft, 'action' | 'subject' | 'showsSecret'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const actor: Actor = { kind: 'switchboard', id: null, name: null };
  return during(new Act({ ...draft, actor, address: null }), work);
}

export const currentAct = (): Act | null => acts.getStore() ?? null;

/** Says what the act under way is about, where its request could not: the id of what is being made, a name. */
export function concerns(subject: Subject): void {
  const act = currentAct();
  if (act?.state === 'open') act.subject = { id: subject.id, name: subject.name };
}

/** Says that the answer to the act under way shows a secret, where that hangs on what was asked for. */
export function showsSecret(): void {
  const act = currentAct();
  if (act?.state === 'open') act.draft.showsSecret = true;
}

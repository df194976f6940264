import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { dealNotification, type Notification } from '../../support/notification';
import { runSql, TestPostgres } from '../../support/postgres';

export const DAEMONS = 3;

export let group: DaemonGroup;
let postgres: TestPostgres;
let nextId = 1;

/** Starts three daemons, of which the first leads. */
export function shareDaemons(): void {
  beforeAll(async () => {
    postgres = await TestPostgres.start();
    group = await DaemonGroup.start(postgres, DAEMONS);
  });
  afterAll(async () => {
    await group?.close();
    await postgres?.stop();
  });
}

/** A notification about another deal. */
export function nextDeal(): Notification {
  nextId += 1;
  return dealNotification({ id: nextId, webhookId: group.webhook.webhook_id });
}

/** Sends one that is stored. @returns the id of the event */
export async function notify(daemon: Daemon): Promise<string> {
  const { body } = nextDeal();
  let outcome = await group.sendTo(daemon, body);
  // On a busy machine it may not be stored in time: then it is sent again.
  while (outcome.code === 'not_stored') outcome = await group.sendTo(daemon, body);
  expect(outcome).toMatchObject({ status: 200, code: 'accepted' });
  return outcome.id!;
}

/** Without it, what has changed is found by the version of the targets, a look at the keys, or a poll. */
export async function withoutNotices(table: string, work: () => Promise<void>): Promise<void> {
  await runSql(group.url, `ALTER TABLE ${table} DISABLE TRIGGER notify_change`);
  await work();
  await runSql(group.url, `ALTER TABLE ${table} ENABLE TRIGGER notify_change`);
}

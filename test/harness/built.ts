/**
 * The relay as it is built into `dist`, with the types of its sources: the journal's threads are files of the build, and
 * a class is the same only if it comes from the same place.
 */
import { outside } from './outside';

export const { systemRandom }: typeof import('../../src/relay/random') = outside(
  '../../dist/relay/random.js',
);
export const { StartRefused, RelayError }: typeof import('../../src/relay/relay-error') = outside(
  '../../dist/relay/relay-error.js',
);
export const { readSettings }: typeof import('../../src/relay/settings/read-settings') = outside(
  '../../dist/relay/settings/read-settings.js',
);
export const { PublicAddress }: typeof import('../../src/relay/settings/public-address') = outside(
  '../../dist/relay/settings/public-address.js',
);
export const { HostAddresses }: typeof import('../../src/relay/network/host-addresses') = outside(
  '../../dist/relay/network/host-addresses.js',
);
export const { Sealer }: typeof import('../../src/relay/secrets/sealer') = outside(
  '../../dist/relay/secrets/sealer.js',
);
export const { migrateDatabase, openReadingSource }: typeof import('../../src/relay/database/open-database') =
  outside('../../dist/relay/database/open-database.js');
export const { TimeBounds }: typeof import('../../src/relay/time-bounds') = outside(
  '../../dist/relay/time-bounds.js',
);
export const { Reader }: typeof import('../../src/relay/database/reader') = outside(
  '../../dist/relay/database/reader.js',
);
export const { SqliteJournal }: typeof import('../../src/relay/database/sqlite-journal') = outside(
  '../../dist/relay/database/sqlite-journal.js',
);
export const { readClockRecord }: typeof import('../../src/relay/database/clock-record') = outside(
  '../../dist/relay/database/clock-record.js',
);
export const { sqliteDriver }: typeof import('../../src/relay/database/sqlite-driver') = outside(
  '../../dist/relay/database/sqlite-driver.js',
);
export const { SqliteLog }: typeof import('../../src/relay/database/sqlite-log') = outside(
  '../../dist/relay/database/sqlite-log.js',
);
export const { sqliteStatements }: typeof import('../../src/relay/database/sqlite-statements') = outside(
  '../../dist/relay/database/sqlite-statements.js',
);
export const { SqliteQueueReads }: typeof import('../../src/relay/database/sqlite-queue-reads') = outside(
  '../../dist/relay/database/sqlite-queue-reads.js',
);
export const { QueueReads }: typeof import('../../src/relay/database/queue-reads') = outside(
  '../../dist/relay/database/queue-reads.js',
);
export const { SqlitePrefetch }: typeof import('../../src/relay/database/sqlite-prefetch') = outside(
  '../../dist/relay/database/sqlite-prefetch.js',
);
export const { checkStoppedLedger }: typeof import('../../src/relay/ledger/check-stopped-ledger') = outside(
  '../../dist/relay/ledger/check-stopped-ledger.js',
);
export const { Retention }: typeof import('../../src/relay/events/retention') = outside(
  '../../dist/relay/events/retention.js',
);
export const { PrunableEvents }: typeof import('../../src/relay/events/prunable-events') = outside(
  '../../dist/relay/events/prunable-events.js',
);
export const { Duplicates }: typeof import('../../src/relay/events/duplicates') = outside(
  '../../dist/relay/events/duplicates.js',
);
export const { DeliveriesService }: typeof import('../../src/relay/deliveries/deliveries.service') = outside(
  '../../dist/relay/deliveries/deliveries.service.js',
);
export const { DeliveryIndexes }: typeof import('../../src/relay/deliveries/delivery-indexes') = outside(
  '../../dist/relay/deliveries/delivery-indexes.js',
);
export const { DeadLetters }: typeof import('../../src/relay/deliveries/dead-letters') = outside(
  '../../dist/relay/deliveries/dead-letters.js',
);
export const { Backlog }: typeof import('../../src/relay/deliveries/backlog') = outside(
  '../../dist/relay/deliveries/backlog.js',
);
export const { GroundModule }: typeof import('../../src/relay/ground.module') = outside(
  '../../dist/relay/ground.module.js',
);
export const { createHttpApplication }: typeof import('../../src/relay/http-application') = outside(
  '../../dist/relay/http-application.js',
);

export const { AccessModule }: typeof import('../../src/relay/access/access.module') = outside(
  '../../dist/relay/access/access.module.js',
);
export const { AccessService }: typeof import('../../src/relay/access/access.service') = outside(
  '../../dist/relay/access/access.service.js',
);
export const { Open }: typeof import('../../src/relay/access/open.decorator') = outside(
  '../../dist/relay/access/open.decorator.js',
);
export const { HealthModule }: typeof import('../../src/relay/operations/health.module') = outside(
  '../../dist/relay/operations/health.module.js',
);
export const { HealthChecks }: typeof import('../../src/relay/operations/health-checks') = outside(
  '../../dist/relay/operations/health-checks.js',
);

export const { ConnectionService }: typeof import('../../src/relay/connection/connection.service') = outside(
  '../../dist/relay/connection/connection.service.js',
);
export const { Renewal }: typeof import('../../src/relay/connection/renewal') = outside(
  '../../dist/relay/connection/renewal.js',
);
export const { CopilotClient }: typeof import('../../src/relay/connection/copilot-client') = outside(
  '../../dist/relay/connection/copilot-client.js',
);
export const { readTokenAnswer }: typeof import('../../src/relay/connection/read-token-answer') = outside(
  '../../dist/relay/connection/read-token-answer.js',
);
export const { backOffMs }: typeof import('../../src/relay/connection/back-off') = outside(
  '../../dist/relay/connection/back-off.js',
);

export const { SubscriptionModule }: typeof import('../../src/relay/subscription/subscription.module') =
  outside('../../dist/relay/subscription/subscription.module.js');
export const { SubscriptionService }: typeof import('../../src/relay/subscription/subscription.service') =
  outside('../../dist/relay/subscription/subscription.service.js');
export const { Registrar }: typeof import('../../src/relay/subscription/registrar') = outside(
  '../../dist/relay/subscription/registrar.js',
);
export const {
  carriesKey,
  readCreatedId,
  readWebhooks,
}: typeof import('../../src/relay/subscription/read-webhooks') = outside(
  '../../dist/relay/subscription/read-webhooks.js',
);
export const { readRefusal }: typeof import('../../src/relay/subscription/read-refusal') = outside(
  '../../dist/relay/subscription/read-refusal.js',
);

export const { startRelay }: typeof import('../../src/relay/start-relay') = outside(
  '../../dist/relay/start-relay.js',
);

export const { ENTITIES }: typeof import('../../src/relay/relay.module') = outside(
  '../../dist/relay/relay.module.js',
);
export const { EventsModule }: typeof import('../../src/relay/events/events.module') = outside(
  '../../dist/relay/events/events.module.js',
);
export const { Alerts }: typeof import('../../src/relay/events/alerts') = outside(
  '../../dist/relay/events/alerts.js',
);
export const { EventsService }: typeof import('../../src/relay/events/events.service') = outside(
  '../../dist/relay/events/events.service.js',
);

export const { OutagesModule }: typeof import('../../src/relay/outages/outages.module') = outside(
  '../../dist/relay/outages/outages.module.js',
);
export const { Heartbeat }: typeof import('../../src/relay/outages/heartbeat') = outside(
  '../../dist/relay/outages/heartbeat.js',
);
export const { Outages }: typeof import('../../src/relay/outages/outages') = outside(
  '../../dist/relay/outages/outages.js',
);
export const { Silence }: typeof import('../../src/relay/outages/silence') = outside(
  '../../dist/relay/outages/silence.js',
);
export const { OwnEventsModule }: typeof import('../../src/relay/own-events/own-events.module') = outside(
  '../../dist/relay/own-events/own-events.module.js',
);
export const { AlertDeadLetters }: typeof import('../../src/relay/own-events/alert-dead-letters') = outside(
  '../../dist/relay/own-events/alert-dead-letters.js',
);
export const { TellStates }: typeof import('../../src/relay/own-events/tell-states') = outside(
  '../../dist/relay/own-events/tell-states.js',
);

export const { TargetsService }: typeof import('../../src/relay/targets/targets.service') = outside(
  '../../dist/relay/targets/targets.service.js',
);
export const { ReplaysModule }: typeof import('../../src/relay/replays/replays.module') = outside(
  '../../dist/relay/replays/replays.module.js',
);
export const { ReplaysService }: typeof import('../../src/relay/replays/replays.service') = outside(
  '../../dist/relay/replays/replays.service.js',
);
export const { ReplayRunner }: typeof import('../../src/relay/replays/replay-runner') = outside(
  '../../dist/relay/replays/replay-runner.js',
);
export const { AuditLog }: typeof import('../../src/relay/audit/audit-log') = outside(
  '../../dist/relay/audit/audit-log.js',
);
export const { Act, concerns, during }: typeof import('../../src/relay/current-act') = outside(
  '../../dist/relay/current-act.js',
);
export const { TrafficHistory }: typeof import('../../src/relay/operations/traffic-history') = outside(
  '../../dist/relay/operations/traffic-history.js',
);
export const { UnusedRecords }: typeof import('../../src/relay/operations/unused-records') = outside(
  '../../dist/relay/operations/unused-records.js',
);
export const { TrafficUpkeep }: typeof import('../../src/relay/operations/traffic-upkeep') = outside(
  '../../dist/relay/operations/traffic-upkeep.js',
);

/** What a test builds of a part of the relay has to be of the same Nest. */
export const { NestFactory }: typeof import('@nestjs/core') = outside('@nestjs/core');
export const { Body, Controller, Get, Module, Param, Post, Query }: typeof import('@nestjs/common') =
  outside('@nestjs/common');

export const { mainCommand }: typeof import('../../src/cli/main-command') = outside(
  '../../dist/cli/main-command.js',
);
export const { LoopProof }: typeof import('../../src/relay/loop-proof/loop-proof') = outside(
  '../../dist/relay/loop-proof/loop-proof.js',
);
export const { LoopProofModule }: typeof import('../../src/relay/loop-proof/loop-proof.module') = outside(
  '../../dist/relay/loop-proof/loop-proof.module.js',
);

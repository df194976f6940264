/**
 * The relay as it is built into `dist`, with the types of its sources: the journal's threads are files of the build, and
 * a class is the same only if it comes from the same place.
 */
import { outside } from './outside';

export const { systemRandom }: typeof import('../../../src/relay/ground/random') = outside(
  '../../../dist/relay/ground/random.js',
);
export const { StartupError, RelayError }: typeof import('../../../src/relay/ground/relay-error') = outside(
  '../../../dist/relay/ground/relay-error.js',
);
export const { readSettings }: typeof import('../../../src/relay/settings/read-settings') = outside(
  '../../../dist/relay/settings/read-settings.js',
);
export const { PublicAddress }: typeof import('../../../src/relay/settings/public-address') = outside(
  '../../../dist/relay/settings/public-address.js',
);
export const { HostAddresses }: typeof import('../../../src/relay/network/host-addresses') = outside(
  '../../../dist/relay/network/host-addresses.js',
);
export const { Sealer }: typeof import('../../../src/relay/secrets/sealer') = outside(
  '../../../dist/relay/secrets/sealer.js',
);
export const {
  migrateDatabase,
  openReadingSource,
}: typeof import('../../../src/relay/database/open-database') = outside(
  '../../../dist/relay/database/open-database.js',
);
export const { TimeBounds }: typeof import('../../../src/relay/ground/time-bounds') = outside(
  '../../../dist/relay/ground/time-bounds.js',
);
export const { Reader }: typeof import('../../../src/relay/database/reader') = outside(
  '../../../dist/relay/database/reader.js',
);
export const { SqliteJournal }: typeof import('../../../src/relay/database/journal/sqlite-journal') = outside(
  '../../../dist/relay/database/journal/sqlite-journal.js',
);
export const { readClockRecord }: typeof import('../../../src/relay/database/clock-record') = outside(
  '../../../dist/relay/database/clock-record.js',
);
export const { sqliteDriver }: typeof import('../../../src/relay/database/sqlite-driver') = outside(
  '../../../dist/relay/database/sqlite-driver.js',
);
export const { SqliteLog }: typeof import('../../../src/relay/database/writer/wal') = outside(
  '../../../dist/relay/database/writer/wal.js',
);
export const { sqliteStatements }: typeof import('../../../src/relay/database/writer/statements') = outside(
  '../../../dist/relay/database/writer/statements.js',
);
export const { SqliteQueueReads }: typeof import('../../../src/relay/database/journal/sqlite-queue-reads') =
  outside('../../../dist/relay/database/journal/sqlite-queue-reads.js');
export const { QueueReads }: typeof import('../../../src/relay/database/journal/queue-reads') = outside(
  '../../../dist/relay/database/journal/queue-reads.js',
);
export const { SqlitePrefetch }: typeof import('../../../src/relay/database/writer/prefetch') = outside(
  '../../../dist/relay/database/writer/prefetch.js',
);
export const {
  checkStoppedLedger,
}: typeof import('../../../src/relay/diagnostics/ledger/check-stopped-ledger') = outside(
  '../../../dist/relay/diagnostics/ledger/check-stopped-ledger.js',
);
export const { Retention }: typeof import('../../../src/relay/events/retention/retention') = outside(
  '../../../dist/relay/events/retention/retention.js',
);
export const { PrunableEvents }: typeof import('../../../src/relay/events/retention/prunable-events') =
  outside('../../../dist/relay/events/retention/prunable-events.js');
export const { Duplicates }: typeof import('../../../src/relay/events/duplicates') = outside(
  '../../../dist/relay/events/duplicates.js',
);
export const { DeliveriesService }: typeof import('../../../src/relay/deliveries/deliveries.service') =
  outside('../../../dist/relay/deliveries/deliveries.service.js');
export const { DeliveryIndexes }: typeof import('../../../src/relay/deliveries/delivery-indexes') = outside(
  '../../../dist/relay/deliveries/delivery-indexes.js',
);
export const { DeadLetters }: typeof import('../../../src/relay/deliveries/dead-letters/dead-letters') =
  outside('../../../dist/relay/deliveries/dead-letters/dead-letters.js');
export const { Backlog }: typeof import('../../../src/relay/deliveries/queue/backlog') = outside(
  '../../../dist/relay/deliveries/queue/backlog.js',
);
export const { GroundModule }: typeof import('../../../src/relay/ground.module') = outside(
  '../../../dist/relay/ground.module.js',
);
export const { createHttpApplication }: typeof import('../../../src/relay/http/http-application') = outside(
  '../../../dist/relay/http/http-application.js',
);

export const { AccessApiModule }: typeof import('../../../src/relay/api/access-api.module') = outside(
  '../../../dist/relay/api/access-api.module.js',
);
export const { AccessService }: typeof import('../../../src/relay/access/access.service') = outside(
  '../../../dist/relay/access/access.service.js',
);
export const { Open }: typeof import('../../../src/relay/access/open.decorator') = outside(
  '../../../dist/relay/access/open.decorator.js',
);
export const { HealthChecks }: typeof import('../../../src/relay/diagnostics/health-checks') = outside(
  '../../../dist/relay/diagnostics/health-checks.js',
);

export const { ConnectionService }: typeof import('../../../src/relay/connection/connection.service') =
  outside('../../../dist/relay/connection/connection.service.js');
export const { Renewal }: typeof import('../../../src/relay/connection/renewal') = outside(
  '../../../dist/relay/connection/renewal.js',
);
export const { CopilotClient }: typeof import('../../../src/relay/connection/copilot-client') = outside(
  '../../../dist/relay/connection/copilot-client.js',
);
export const { readTokenAnswer }: typeof import('../../../src/relay/connection/read-token-answer') = outside(
  '../../../dist/relay/connection/read-token-answer.js',
);
export const { backOffMs }: typeof import('../../../src/relay/connection/back-off') = outside(
  '../../../dist/relay/connection/back-off.js',
);

export const { SubscriptionModule }: typeof import('../../../src/relay/subscription/subscription.module') =
  outside('../../../dist/relay/subscription/subscription.module.js');
export const { SubscriptionService }: typeof import('../../../src/relay/subscription/subscription.service') =
  outside('../../../dist/relay/subscription/subscription.service.js');
export const { Registrar }: typeof import('../../../src/relay/subscription/subscription-reconciler') =
  outside('../../../dist/relay/subscription/subscription-reconciler.js');
export const {
  carriesKey,
  readCreatedId,
  readWebhooks,
}: typeof import('../../../src/relay/subscription/read-webhooks') = outside(
  '../../../dist/relay/subscription/read-webhooks.js',
);
export const { readRefusal }: typeof import('../../../src/relay/subscription/read-refusal') = outside(
  '../../../dist/relay/subscription/read-refusal.js',
);

export const { startRelay }: typeof import('../../../src/relay/start-relay') = outside(
  '../../../dist/relay/start-relay.js',
);

export const { ENTITIES }: typeof import('../../../src/relay/relay.module') = outside(
  '../../../dist/relay/relay.module.js',
);
export const { EventsModule }: typeof import('../../../src/relay/events/events.module') = outside(
  '../../../dist/relay/events/events.module.js',
);
export const { Alerts }: typeof import('../../../src/relay/events/alerts') = outside(
  '../../../dist/relay/events/alerts.js',
);
export const { EventsService }: typeof import('../../../src/relay/events/events.service') = outside(
  '../../../dist/relay/events/events.service.js',
);

export const { OutagesModule }: typeof import('../../../src/relay/outages/outages.module') = outside(
  '../../../dist/relay/outages/outages.module.js',
);
export const { Heartbeat }: typeof import('../../../src/relay/outages/heartbeat') = outside(
  '../../../dist/relay/outages/heartbeat.js',
);
export const { Outages }: typeof import('../../../src/relay/outages/outages') = outside(
  '../../../dist/relay/outages/outages.js',
);
export const { Silence }: typeof import('../../../src/relay/outages/silence-detector') = outside(
  '../../../dist/relay/outages/silence-detector.js',
);
export const { SystemEventsModule }: typeof import('../../../src/relay/system-events/system-events.module') =
  outside('../../../dist/relay/system-events/system-events.module.js');
export const { AlertDeadLetters }: typeof import('../../../src/relay/system-events/alert-dead-letters') =
  outside('../../../dist/relay/system-events/alert-dead-letters.js');
export const { TellStates }: typeof import('../../../src/relay/system-events/connection-events') = outside(
  '../../../dist/relay/system-events/connection-events.js',
);

export const { TargetsService }: typeof import('../../../src/relay/targets/targets.service') = outside(
  '../../../dist/relay/targets/targets.service.js',
);
export const { ReplaysModule }: typeof import('../../../src/relay/replays/replays.module') = outside(
  '../../../dist/relay/replays/replays.module.js',
);
export const { ReplaysService }: typeof import('../../../src/relay/replays/replays.service') = outside(
  '../../../dist/relay/replays/replays.service.js',
);
export const { ReplayRunner }: typeof import('../../../src/relay/replays/replay-runner') = outside(
  '../../../dist/relay/replays/replay-runner.js',
);
export const { AuditLog }: typeof import('../../../src/relay/audit/audit-log') = outside(
  '../../../dist/relay/audit/audit-log.js',
);
export const {
  AuditedAction,
  runAudited,
  setAuditSubject,
}: typeof import('../../../src/relay/ground/audit-context') = outside(
  '../../../dist/relay/ground/audit-context.js',
);
export const { TrafficHistory }: typeof import('../../../src/relay/stats/traffic-history') = outside(
  '../../../dist/relay/stats/traffic-history.js',
);
export const { UnusedRecords }: typeof import('../../../src/relay/diagnostics/unused-records') = outside(
  '../../../dist/relay/diagnostics/unused-records.js',
);
export const { TrafficUpkeep }: typeof import('../../../src/relay/stats/traffic-upkeep') = outside(
  '../../../dist/relay/stats/traffic-upkeep.js',
);

/** What a test builds of a part of the relay has to be of the same Nest. */
export const { NestFactory }: typeof import('@nestjs/core') = outside('@nestjs/core');
export const { Body, Controller, Get, Module, Param, Post, Query }: typeof import('@nestjs/common') =
  outside('@nestjs/common');

export const { mainCommand }: typeof import('../../../src/cli/main-command') = outside(
  '../../../dist/cli/main-command.js',
);
export const { LoopProof }: typeof import('../../../src/relay/diagnostics/reachability/reachability') =
  outside('../../../dist/relay/diagnostics/reachability/reachability.js');
export const {
  ReachabilityModule,
}: typeof import('../../../src/relay/diagnostics/reachability/reachability.module') = outside(
  '../../../dist/relay/diagnostics/reachability/reachability.module.js',
);

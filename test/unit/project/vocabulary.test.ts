import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from '../../support/tracked-files';

const ROOT = join(__dirname, '../../..');

/** Words that were given up for those of the glossary in `ARCHITECTURE.md`, as whole words or parts of a name. */
const INSTEAD = {
  asSwitchboard: 'runAsSystem',
  befall: 'happen to',
  BrowserStand: 'BrowserSession',
  carriesKey: 'urlContainsKey',
  comeForward: 'promote',
  ConsentStates: 'OAuthStates',
  ContactBook: 'Contacts',
  CountedLog: 'RepeatLimitedLog',
  currentAct: 'currentAction',
  DealDesk: 'Deals',
  feedCache: 'syncQueryCache',
  findAttention: 'findIssues',
  FittedStep: 'AdaptiveStep',
  harness: 'support',
  HookClient: 'WebhookSender',
  isOwnType: 'isSystemEventType',
  InWords: 'describe…',
  judgeOutcome: 'classifyOutcome',
  'loop proof': 'reachability probe',
  LoopProof: 'ReachabilityProbe',
  Newcomer: 'CatchUp',
  OneAtATime: 'NonOverlapping',
  OwnEvent: 'SystemEvent',
  Playbook: 'Automations',
  PublicFront: 'PublicProxy',
  RateGate: 'RateLimiter',
  RecordActs: 'AuditInterceptor',
  RestingPlaces: 'SlotCooldown',
  RestingTargets: 'PausedTargets',
  Rhythm: 'TrafficBaseline',
  SalesFloor: 'Crm',
  settleHeaders: 'resolveHeaders',
  settleOrigin: 'resolveOrigin',
  settleSettings: 'resolveSettings',
  settleTls: 'resolveTls',
  showAlso: 'extendState',
  StartRefused: 'StartupError',
  storeAgain: 'retrySave',
  tellDeath: 'publish…',
  tellFailure: 'notifyFailure',
  TellStates: 'ConnectionEvents',
  TellTargets: 'TargetEvents',
  ToldStates: 'PublishedStates',
  UpstreamWebhook: 'FakeWebhook',
  VitalSigns: 'KeyMetrics',
  WayKeys: 'NavigationKeys',
  WireAnswer: 'TestResponse',
};

const texts = new Map(
  trackedFiles()
    .filter((file) => /\.(tsx?|mjs|cjs|css|md)$/.test(file) && !__filename.endsWith(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
);

it.each(Object.entries(INSTEAD))('"%s" is not used any more, but "%s"', (word) => {
  const used = new RegExp(`${word}(?![a-z])`, 'u');
  expect([...texts].filter(([, text]) => used.test(text)).map(([file]) => file)).toEqual([]);
});

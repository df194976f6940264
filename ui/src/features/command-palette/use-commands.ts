import { useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import type { TargetsResume } from '@contract/target-pause';
import { savedViewsQuery } from '../../api/saved-views';
import { closeSession, sessionQuery } from '../../api/session';
import { pauseTargets, resumeTargets, targetsQuery, testTarget, type PauseInput } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';
import { notifyUndoable } from '../../components/notify-action';
import { useDenial } from '../../components/use-denial';
import { density } from '../../format/density';
import { formatMilliseconds } from '../../format/number';
import { setTimeZone } from '../../format/time-zone';
import { NAVIGATION_KEYS } from '../shell/use-navigation-keys';
import { useSignOut } from '../sign-in/use-sign-out';
import { targetLabels } from '../../labels/target-labels';
import { savedViewLink } from '../../search/saved-view-link';
import type { Command } from './command';

const HOUR_MS = 3_600_000;

/** What is found on a screen. */
const SCREEN_WORDS: Partial<Record<string, string>> = {
  '/': 'health traffic',
  '/entities': 'deals contacts tasks',
  '/targets': 'receivers',
  '/failures': 'dead letters failed',
  '/contract': 'payload types schemas',
  '/connection': 'webhook subscription outages quarantine duplicates grant',
  '/settings': 'audit log api tokens sessions backups daemons',
};

/** The commands that do not depend on what is typed: actions, screens, targets. */
export function useCommands(openHelp: () => void, askToResume: (target: Target) => void): Command[] {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const mayOperate = useDenial('operate') === null;
  const isAdmin = useDenial('admin') === null;
  const { data: targets = [] } = useQuery(targetsQuery);
  const { data: views = [] } = useQuery(savedViewsQuery);
  const change = { ...useTargetChanges(), askToResume };
  const preferences = usePreferenceCommands(openHelp);
  const pauseAll: Command = {
    id: 'pause-all',
    group: 'All targets',
    label: 'Pause all targets',
    hint: 'except those for alerts',
    run: () => void change.pause('All targets', { all: true }),
  };
  const screens = NAVIGATION_KEYS.filter(({ to }) => to !== '/sandbox' || session?.sandbox === true);
  const actions: Command[] = [
    {
      id: 'add-target',
      group: 'Actions',
      label: 'Add a target',
      run: () => void navigate({ to: '/targets/new' }),
    },
    {
      id: 'test-event',
      group: 'Actions',
      label: 'Compose a test event',
      hint: 'see which targets receive it',
      run: () => void navigate({ to: '/targets/test' }),
    },
    {
      id: 'replay-failures',
      group: 'Actions',
      label: 'Replay the last hour’s failures',
      hint: 'choose the speed before it starts',
      words: 'failed',
      run: () => {
        const since = new Date(Date.now() - HOUR_MS).toISOString();
        void navigate({ to: '/replays/new', search: { since, outcome: ['dead'] } });
      },
    },
    {
      id: 'new-replay',
      group: 'Actions',
      label: 'Replay events',
      run: () => void navigate({ to: '/replays/new' }),
    },
    {
      id: 'export-events',
      group: 'Actions',
      label: 'Export events',
      hint: 'filter them first',
      run: () => void navigate({ to: '/events' }),
    },
  ];
  const tokens: Command = {
    id: 'api-tokens',
    group: 'Actions',
    label: 'Create an API token',
    run: () => void navigate({ to: '/settings', hash: 'api-tokens' }),
  };
  return [
    ...(isAdmin ? [tokens] : []),
    ...(mayOperate
      ? [...actions, ...targets.flatMap((target) => commandsFor(target, change)), pauseAll]
      : []),
    ...preferences,
    ...screens.map(({ name, to, key }): Command => ({
      id: to,
      group: 'Screens',
      label: name,
      hint: `g ${key}`,
      words: SCREEN_WORDS[to] ?? '',
      run: () => void navigate({ to }),
    })),
    ...views.map((view): Command => ({
      id: view.id,
      group: 'Saved views',
      label: view.name,
      run: () => void navigate(savedViewLink(view)),
    })),
    ...targets.map((target): Command => ({
      id: target.id,
      group: 'Targets',
      label: target.name,
      hint: targetLabels(target)
        .map(({ label }) => label)
        .join(', '),
      run: () => void navigate({ to: '/targets/$id', params: { id: target.id } }),
    })),
  ];
}

/** Pause or resume, and test. The palette has closed when they end, so a notification shows the outcome. */
function commandsFor(target: Target, change: TargetChanges): Command[] {
  const { id, name, paused, backlog } = target;
  const test = async () => {
    try {
      const { delivered, status, error, duration_ms: duration } = await testTarget(id);
      const message = `${error ?? `HTTP ${status}`} after ${formatMilliseconds(duration)}`;
      const title = delivered ? `Test delivered to ${name}` : `Test failed at ${name}`;
      notifications.show({ title, message, ...(!delivered && { color: 'red' }) });
    } catch (error) {
      notifyFailure(`Could not test ${name}`)(error);
    }
  };
  return [
    paused === null
      ? {
          id: `pause ${id}`,
          group: 'Actions',
          label: `Pause ${name}`,
          hint: 'its deliveries stay queued',
          run: () => void change.pause(name, { target_ids: [id] }),
        }
      : {
          id: `resume ${id}`,
          group: 'Actions',
          label: `Resume ${name}`,
          run: () => {
            if (backlog.open > 0) change.askToResume(target);
            else void change.resume(name, { target_ids: [id] });
          },
        },
    {
      id: `test ${id}`,
      group: 'Actions',
      label: `Test ${name}`,
      hint: 'sends a signed sample',
      run: () => void test(),
    },
  ];
}

/** Pauses targets, which can be undone from the notification that tells so, and resumes them. */
function useTargetChanges() {
  const cache = useQueryClient();
  const reload = () => cache.invalidateQueries({ queryKey: ['targets'] });
  const resume = async (name: string, targets: TargetsResume) => {
    try {
      await resumeTargets(targets);
      notifications.show({ message: `${name} resumed` });
      await reload();
    } catch (error) {
      notifyFailure(`Could not resume ${name}`)(error);
    }
  };
  const pause = async (name: string, targets: PauseInput) => {
    try {
      const changed = await pauseTargets(targets);
      notifyUndoable(`${name} paused. New events wait until you resume.`, () => void resume(name, changed));
      await reload();
    } catch (error) {
      notifyFailure(`Could not pause ${name}`)(error);
    }
  };
  return { pause, resume };
}

interface TargetChanges extends ReturnType<typeof useTargetChanges> {
  askToResume: (target: Target) => void;
}

/** What the menu of the user offers too. */
function usePreferenceCommands(openHelp: () => void): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const { data: session } = useQuery(sessionQuery);
  const signOut = useSignOut(closeSession);
  const commands: [label: string, run: () => void, hint?: string][] = [
    ['Show keyboard shortcuts', openHelp, '?'],
    ['Theme: dark', () => setColorScheme('dark')],
    ['Theme: light', () => setColorScheme('light')],
    ['Theme: system', () => setColorScheme('auto')],
    ['Times: local', () => setTimeZone('local')],
    ['Times: UTC', () => setTimeZone('utc')],
    ['Rows: comfortable', () => density.set('comfortable'), 'density'],
    ['Rows: compact', () => density.set('compact'), 'density'],
  ];
  // Only the proxy can sign out its users.
  if (session?.via !== 'user') commands.push(['Sign out', () => signOut.mutate(), 'log out']);
  return commands.map(([label, run, hint]) => ({
    id: label,
    group: 'Actions',
    label,
    run,
    ...(hint !== undefined && { hint }),
  }));
}

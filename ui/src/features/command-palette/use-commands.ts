import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { sessionQuery } from '../../api/session';
import { pauseTargets, resumeTargets, targetsQuery, testTarget } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';
import { useDenial } from '../../components/use-denial';
import { formatMilliseconds } from '../../format/number';
import { NAVIGATION_KEYS } from '../shell/use-navigation-keys';
import { targetLabels } from '../../labels/target-labels';
import type { Command } from './command';

const HOUR_MS = 3_600_000;

/** The commands that do not depend on what is typed: actions, screens, targets. */
export function useCommands(openHelp: () => void): Command[] {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const mayOperate = useDenial('operate') === null;
  const { data: targets = [] } = useQuery(targetsQuery);
  const actOn = useTargetCommands();
  const screens = NAVIGATION_KEYS.filter(({ to }) => to !== '/sandbox' || session?.sandbox === true);
  const actions: Command[] = [
    {
      id: 'add-target',
      group: 'Actions',
      label: 'Add a target',
      run: () => void navigate({ to: '/targets/new' }),
    },
    {
      id: 'replay-failures',
      group: 'Actions',
      label: 'Replay the last hour’s failures',
      hint: 'choose the speed before it starts',
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
  ];
  return [
    ...(mayOperate ? [...actions, ...targets.flatMap(actOn)] : []),
    { id: 'help', group: 'Actions', label: 'Show keyboard shortcuts', run: openHelp },
    ...screens.map(({ name, to, key }): Command => ({
      id: to,
      group: 'Screens',
      label: name,
      hint: `g ${key}`,
      run: () => void navigate({ to }),
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
function useTargetCommands(): (target: Target) => Command[] {
  const cache = useQueryClient();
  return ({ id, name, paused }) => {
    const act = async (action: string, done: string, change: () => Promise<unknown>) => {
      try {
        await change();
        notifications.show({ message: `${name} ${done}` });
        await cache.invalidateQueries({ queryKey: ['targets'] });
      } catch (error) {
        notifyFailure(`Could not ${action} ${name}`)(error);
      }
    };
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
            run: () => void act('pause', 'is paused', () => pauseTargets({ target_ids: [id] })),
          }
        : {
            id: `resume ${id}`,
            group: 'Actions',
            label: `Resume ${name}`,
            run: () => void act('resume', 'is resumed', () => resumeTargets({ target_ids: [id] })),
          },
      {
        id: `test ${id}`,
        group: 'Actions',
        label: `Test ${name}`,
        hint: 'sends a signed sample',
        run: () => void test(),
      },
    ];
  };
}

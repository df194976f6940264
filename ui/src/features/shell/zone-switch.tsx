import { ActionIcon, Tooltip } from '@mantine/core';
import { IconClock, IconWorld } from '@tabler/icons-react';
import { setTimeZone, useTimeZone } from '../../format/time-zone';

const OPTIONS = {
  local: { name: 'local', icon: IconClock, next: 'utc' },
  utc: { name: 'UTC', icon: IconWorld, next: 'local' },
} as const;

/** Tells times in the reader's own zone, or in UTC. */
export function ZoneSwitch() {
  const { name, icon: Icon, next } = OPTIONS[useTimeZone()];
  const label = `Times: ${name}. Switch to ${OPTIONS[next].name}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setTimeZone(next)}>
        <Icon size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBaselineDensityMedium, IconBaselineDensitySmall } from '@tabler/icons-react';
import { density } from '../../format/density';

const DENSITIES = {
  comfortable: { icon: IconBaselineDensityMedium, next: 'compact' },
  compact: { icon: IconBaselineDensitySmall, next: 'comfortable' },
} as const;

/** Switches between high and low rows. */
export function DensitySwitch({ className }: { className: string | undefined }) {
  const current = density.use();
  const { icon: Icon, next } = DENSITIES[current];
  const label = `Rows: ${current}. Switch to ${next}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => density.set(next)} className={className}>
        <Icon size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

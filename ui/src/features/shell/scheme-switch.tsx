import { ActionIcon, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const OPTIONS = {
  auto: { name: 'system', icon: IconDeviceDesktop },
  light: { name: 'light', icon: IconSun },
  dark: { name: 'dark', icon: IconMoon },
} as const;

/** Cycles through the light, dark and system theme. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT[colorScheme];
  const { name, icon: Icon } = OPTIONS[colorScheme];
  const label = `Theme: ${name}. Switch to ${OPTIONS[next].name}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setColorScheme(next)}>
        <Icon size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

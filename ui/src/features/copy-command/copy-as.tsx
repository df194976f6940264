import { Button, Group } from '@mantine/core';
import { IconApi, IconTerminal2 } from '@tabler/icons-react';
import { useCopy } from '../../components/use-copy';
import type { ShellLines } from './requests';

/** Copies what the screen does as a line for a shell. @param lines called on use: times are relative to it */
export function CopyAs({ lines }: { lines: () => ShellLines }) {
  const command = useCopy();
  const call = useCopy();
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconTerminal2 size={14} aria-hidden />}
        onClick={() => command.copy(lines().command)}
      >
        {command.copied ? 'Copied' : 'Copy as command'}
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconApi size={14} aria-hidden />}
        title="For curl, with a token in SWITCHBOARD_TOKEN"
        onClick={() => call.copy(lines().call)}
      >
        {call.copied ? 'Copied' : 'Copy as API call'}
      </Button>
    </Group>
  );
}

import { Button } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';

interface SystemEventsChipProps {
  shown: boolean;
  onChange: (shown: boolean) => void;
}

/** Shows or hides the events that Switchboard itself creates. */
export function SystemEventsChip({ shown, onChange }: SystemEventsChipProps) {
  const Icon = shown ? IconEye : IconEyeOff;
  return (
    <Button
      aria-pressed={shown}
      title={
        shown ? 'Hide events created by Switchboard itself' : 'Show events created by Switchboard itself'
      }
      leftSection={<Icon size={14} aria-hidden />}
      onClick={() => onChange(!shown)}
    >
      System events
    </Button>
  );
}

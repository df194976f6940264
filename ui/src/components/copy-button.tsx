import { ActionIcon, Tooltip } from '@mantine/core';
import { useCopy } from './use-copy';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** Copies a value and confirms it briefly. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { copy, copied } = useCopy();
  const text = copied ? 'Copied' : label;
  return (
    <Tooltip label={text}>
      <ActionIcon size={24} aria-label={text} onClick={() => copy(value)}>
        {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

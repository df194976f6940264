import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './newer-button.module.css';

interface NewerButtonProps {
  /** Whether there are newer events than the list shows. */
  shown: boolean;
  show: () => void;
  children: ReactNode;
}

/** Shows the events that are newer than those of the list. */
export function NewerButton({ shown, show, children }: NewerButtonProps) {
  return (
    <Button
      variant="filled"
      className={classes.newer}
      data-shown={shown || undefined}
      leftSection={<IconArrowUp size={14} aria-hidden />}
      onClick={show}
    >
      {children}
    </Button>
  );
}

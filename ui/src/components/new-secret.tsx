import { Button } from '@mantine/core';
import { useCopy } from './use-copy';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './new-secret.module.css';

/** A secret that is shown once, with a copy button. */
export function NewSecret({ secret }: { secret: string }) {
  const { copy, copied } = useCopy();
  return (
    <div className={classes.secret}>
      <code data-secret>{secret}</code>
      <Button
        className={classes.copy}
        leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        onClick={() => copy(secret)}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}

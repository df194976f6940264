import { useClipboard } from '@mantine/hooks';
import classes from './payload-tree.module.css';

/** Copies a text that is made only when it is asked for; says for a moment that it did. */
export function CopyText({ label, text }: { label: string; text: () => string }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <button type="button" className={classes.button} onClick={() => copy(text())}>
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </button>
  );
}

import { CopyButton } from './copy-button';
import classes from './copyable.module.css';
import { Mono } from './mono';

/** An id with a copy button. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copyable}>
      <Mono>{value}</Mono>
      <CopyButton value={value} label={label} />
    </span>
  );
}

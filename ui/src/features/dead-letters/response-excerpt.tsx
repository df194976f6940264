import { escapeInvisible } from '../../payload/json';
import classes from './response-excerpt.module.css';

/** The event's page shows all of it. */
const MAX_LENGTH = 400;

/** The start of a target's response, as plain text. */
export function ResponseExcerpt({ text }: { text: string }) {
  return (
    <pre className={classes.excerpt}>
      <span className={classes.text}>{escapeInvisible(text.slice(0, MAX_LENGTH))}</span>
    </pre>
  );
}

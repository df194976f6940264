import { HUB_NAME } from '../../format/hub-name';
import classes from './brand.module.css';

/** Logo and name, and the name of the hub. */
export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 32 32" width={24} height={24} aria-hidden className={classes.mark}>
        <rect width="32" height="32" rx="8" className={classes.background} />
        <path d="M8 16h5c5 0 5-7 11-7M13 16c5 0 5 7 11 7M13 16h11" className={classes.lines} />
        <circle cx="8" cy="16" r="3" className={classes.source} />
      </svg>
      <span className={classes.name}>Switchboard</span>
      <span className={classes.hub} title={HUB_NAME}>
        {HUB_NAME}
      </span>
    </span>
  );
}

import { IconChevronRight } from '@tabler/icons-react';
import classes from './disclosure-chevron.module.css';

/** The marker of a `summary`, which points down while its details are open. */
export const DisclosureChevron = () => <IconChevronRight size={14} aria-hidden className={classes.chevron} />;

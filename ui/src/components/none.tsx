import classes from './none.module.css';

/** Stands for a value that there is not. */
export const None = () => <span className={classes.none}>–</span>;

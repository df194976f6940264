/** In `DATA_DIR` while the daemon runs: where the command line finds it. */
export const ADDRESS_FILE = 'address';

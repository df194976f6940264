/** Where requests go, and with which token. */
export interface Hub {
  /** Without a slash at the end. */
  url: string;
  /** By what it was found: the name of a profile, of a variable or of a flag, or "this machine". */
  source: string;
  token: string;
  /** A file with the certificates that its own is signed with; null: those that Node knows. */
  caFile: string | null;
  /** A daemon that gets another address and another token when it starts again. */
  isLocal: boolean;
}

/** The daemon on this machine. */
export interface LocalHub {
  /** Whether a flag or a setting names its folder. */
  isNamed: boolean;
  /** @throws CommandFailed if it does not run */
  open(): Promise<Hub>;
}

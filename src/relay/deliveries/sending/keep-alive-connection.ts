import { Client, type Dispatcher } from 'undici';

export interface ConnectionRequest extends Dispatcher.DispatchOptions {
  /** The connection that the pool has chosen. */
  connection?: KeepAliveConnection;
}

/** One of the connections of a pool, which is opened again for the next request when it was closed. */
export class KeepAliveConnection extends Client {
  private wasUsed = false;

  constructor(...parameters: ConstructorParameters<typeof Client>) {
    super(...parameters);
    this.on('connect', () => (this.wasUsed = false));
  }

  override dispatch(request: ConnectionRequest, handler: Dispatcher.DispatchHandler): boolean {
    request.connection = this;
    return super.dispatch(request, handler);
  }

  /** Called when a request is sent on it. @returns whether another one was sent on it before */
  use(): boolean {
    const { wasUsed } = this;
    this.wasUsed = true;
    return wasUsed;
  }
}

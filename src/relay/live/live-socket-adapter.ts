import { IoAdapter } from '@nestjs/platform-socket.io';

type Options = Parameters<IoAdapter['createIOServer']>[1];

/** Only WebSockets: long polling would spread one dashboard over many requests, each with its own login check. */
export class LiveSocketAdapter extends IoAdapter {
  override createIOServer(port: number, options?: Options) {
    const limits = { transports: ['websocket'], perMessageDeflate: false, serveClient: false };
    // Upgrades elsewhere are ignored, and their requests answered: those sockets are not for this one to end.
    const manners = { destroyUpgrade: false };
    return super.createIOServer(port, { ...options, ...limits, ...manners } as Options);
  }
}

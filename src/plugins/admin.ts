// What administrators can do, as a port: the composition knows the configuration's file and the
// logger, the routes do not.
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** Either it was done, or nothing was changed and these are the faults. */
export type AdminResult =
  { readonly ok: true } | { readonly ok: false; readonly faults: Readonly<Record<string, string>> };

export interface Admin {
  /** Reads the configuration's file again; a faulty one changes nothing. */
  reload(actor: string): Promise<AdminResult>;
  /** Adds or replaces a tool until the next reload; `entry` as in the file, without its name. */
  putTool(name: string, entry: unknown): Promise<AdminResult>;
  /** Removes a tool until the next reload; undefined where there is none. */
  deleteTool(name: string): Promise<AdminResult | undefined>;
  forceBreaker(name: string, state: 'open' | 'closed'): 'forced' | 'no_tool' | 'no_breaker';
  /** False where there is no such level. */
  setLogLevel(level: string): boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent where the process was not started with a configuration file (tests, embedding). */
    admin: Admin | undefined;
  }
}

export const adminPlugin = fp<{ admin: Admin | undefined }>(
  (app: FastifyInstance, { admin }, done) => {
    app.decorate('admin', admin);
    done();
  },
  { name: 'admin' },
);

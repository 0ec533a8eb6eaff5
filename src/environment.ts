// The environment variables of the gateway's own, read and checked in one place.
import { LOG_LEVELS, type LogLevel, parseLogLevel } from './telemetry/log.js';

export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  /** Path of the user's configuration; undefined: the demo's. */
  readonly configFile: string | undefined;
  readonly adminKey: string | undefined;
  readonly allowAnonymous: boolean;
}

/** A start that cannot go on: told to a person in one line, exit code 2. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}

/** @throws StartFault where a variable has a value that makes no sense. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  return {
    host: given(env['HOST']) ?? '127.0.0.1',
    port: readPort(given(env['PORT']) ?? '8080'),
    logLevel: readLogLevel(env['LOG_LEVEL']),
    configFile: given(env['TOOLGATE_CONFIG']),
    adminKey: given(env['TOOLGATE_ADMIN_KEY']),
    allowAnonymous: readFlag('TOOLGATE_ALLOW_ANONYMOUS', given(env['TOOLGATE_ALLOW_ANONYMOUS'])),
  };
}

/** An empty variable counts as absent. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new StartFault(`PORT must be a number from 0 to 65535, not "${text}"`);
}

function readLogLevel(text: string | undefined): LogLevel {
  const level = parseLogLevel(text);
  if (level !== undefined) return level;
  throw new StartFault(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${text ?? ''}"`);
}

function readFlag(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false' || text === '0') return false;
  if (text === 'true' || text === '1') return true;
  throw new StartFault(`${name} must be true or false, not "${text}"`);
}

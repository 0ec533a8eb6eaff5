// ajv, loaded with the first schema that needs code: a start with everyday schemas does without its
// 8 MB. By `require`, since compiling is not asynchronous.
import { createRequire } from 'node:module';
import type * as Draft07 from 'ajv';
import type * as Draft2019 from 'ajv/dist/2019.js';
import type * as Draft2020 from 'ajv/dist/2020.js';
import type * as Formats from 'ajv-formats';

const require = createRequire(import.meta.url);

export const draft07 = (): typeof Draft07 => require('ajv') as typeof Draft07;
export const draft2019 = (): typeof Draft2019 => require('ajv/dist/2019.js') as typeof Draft2019;
export const draft2020 = (): typeof Draft2020 => require('ajv/dist/2020.js') as typeof Draft2020;
export const formats = (): typeof Formats.default =>
  require('ajv-formats') as typeof Formats.default;
